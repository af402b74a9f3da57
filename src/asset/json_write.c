#include "asset/json_write.h"

#include "asset/json_number.h"

#include <math.h>
#include <string.h>

snJsonWriter snMakeJsonWriter(snBytes *out, bool pretty)
{
    return (snJsonWriter){.out = out, .pretty = pretty};
}

void snBytes_AppendJsonString(snBytes *bytes, const char *text)
{
    snBytes_AppendByte(bytes, '"');
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\')
            snBytes_Format(bytes, "\\%c", c);
        else if (c == '\n')
            snBytes_AppendText(bytes, "\\n");
        else if (c < 32 || c == 127)
            snBytes_Format(bytes, "\\u%04x", (unsigned)c);
        else
            snBytes_AppendByte(bytes, c);
    }
    snBytes_AppendByte(bytes, '"');
}

static void breakLine(snJsonWriter *writer)
{
    if (!writer->pretty) return;
    snBytes_AppendByte(writer->out, '\n');
    snBytes_Fill(writer->out, ' ', 2 * (size_t)writer->depth);
}

// What stands between the last value (or the opening bracket) and the next.
static void beforeValue(snJsonWriter *writer)
{
    if (writer->afterKey) {
        writer->afterKey = false;
        return;
    }
    if (writer->depth == 0) return;
    bool first = !writer->filled[writer->depth - 1];
    bool inlined = writer->inlined[writer->depth - 1];
    writer->filled[writer->depth - 1] = true;
    if (!first) snBytes_AppendText(writer->out, inlined && writer->pretty ? ", " : ",");
    if (!inlined) breakLine(writer);
}

static void begin(snJsonWriter *writer, char bracket, bool inlined)
{
    beforeValue(writer);
    SN_ASSERT(writer->depth < SN_JSON_WRITE_DEPTH);
    snBytes_AppendByte(writer->out, (uint8_t)bracket);
    bool parentInlined = writer->depth > 0 && writer->inlined[writer->depth - 1];
    writer->filled[writer->depth] = false;
    writer->inlined[writer->depth] = inlined || parentInlined;
    writer->depth++;
}

static void end(snJsonWriter *writer, char bracket)
{
    SN_ASSERT(writer->depth > 0 && !writer->afterKey);
    writer->depth--;
    if (writer->filled[writer->depth] && !writer->inlined[writer->depth]) breakLine(writer);
    snBytes_AppendByte(writer->out, (uint8_t)bracket);
    if (writer->depth == 0 && writer->pretty) snBytes_AppendByte(writer->out, '\n');
}

void snJsonWriter_BeginObject(snJsonWriter *writer)
{
    begin(writer, '{', false);
}

void snJsonWriter_EndObject(snJsonWriter *writer)
{
    end(writer, '}');
}

void snJsonWriter_BeginArray(snJsonWriter *writer)
{
    begin(writer, '[', false);
}

void snJsonWriter_BeginLine(snJsonWriter *writer)
{
    begin(writer, '[', true);
}

void snJsonWriter_EndArray(snJsonWriter *writer)
{
    end(writer, ']');
}

void snJsonWriter_Key(snJsonWriter *writer, const char *key)
{
    SN_ASSERT(!writer->afterKey);
    beforeValue(writer);
    snBytes_AppendJsonString(writer->out, key);
    snBytes_AppendText(writer->out, writer->pretty ? ": " : ":");
    writer->afterKey = true;
}

void snJsonWriter_Raw(snJsonWriter *writer, const char *json, size_t size)
{
    beforeValue(writer);
    snBytes_Append(writer->out, json, size);
}

void snJsonWriter_Null(snJsonWriter *writer)
{
    snJsonWriter_Raw(writer, "null", 4);
}

void snJsonWriter_Bool(snJsonWriter *writer, bool value)
{
    snJsonWriter_Raw(writer, value ? "true" : "false", value ? 4 : 5);
}

void snJsonWriter_Int(snJsonWriter *writer, int64_t value)
{
    beforeValue(writer);
    snBytes_Format(writer->out, "%lld", (long long)value);
}

void snJsonWriter_Double(snJsonWriter *writer, double value)
{
    char text[SN_NUMBER_CHARS];
    if (!isfinite(value))
        snJsonWriter_Null(writer);
    else
        snJsonWriter_Raw(writer, text, (size_t)snFormatDouble(text, value));
}

void snJsonWriter_Float(snJsonWriter *writer, float value)
{
    char text[SN_NUMBER_CHARS];
    if (!isfinite(value))
        snJsonWriter_Null(writer);
    else
        snJsonWriter_Raw(writer, text, (size_t)snFormatFloat(text, value));
}

void snJsonWriter_String(snJsonWriter *writer, const char *text)
{
    beforeValue(writer);
    snBytes_AppendJsonString(writer->out, text);
}

void snJsonWriter_PutInt(snJsonWriter *writer, const char *key, int64_t value)
{
    snJsonWriter_Key(writer, key);
    snJsonWriter_Int(writer, value);
}

void snJsonWriter_PutDouble(snJsonWriter *writer, const char *key, double value)
{
    snJsonWriter_Key(writer, key);
    snJsonWriter_Double(writer, value);
}

void snJsonWriter_PutString(snJsonWriter *writer, const char *key, const char *text)
{
    snJsonWriter_Key(writer, key);
    snJsonWriter_String(writer, text);
}

void snJsonWriter_PutBool(snJsonWriter *writer, const char *key, bool value)
{
    snJsonWriter_Key(writer, key);
    snJsonWriter_Bool(writer, value);
}

void snJsonWriter_PutDoubles(snJsonWriter *writer, const char *key, const double *v, int count)
{
    snJsonWriter_Key(writer, key);
    snJsonWriter_BeginLine(writer);
    for (int i = 0; i < count; i++)
        snJsonWriter_Double(writer, v[i]);
    snJsonWriter_EndArray(writer);
}

void snJsonWriter_PutFloats(snJsonWriter *writer, const char *key, const float *v, int count)
{
    snJsonWriter_Key(writer, key);
    snJsonWriter_BeginLine(writer);
    for (int i = 0; i < count; i++)
        snJsonWriter_Float(writer, v[i]);
    snJsonWriter_EndArray(writer);
}
