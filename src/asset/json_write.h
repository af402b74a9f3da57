// Writes a JSON document into bytes. Commas, line breaks and indentation come by themselves:
//     snJsonWriter w = snMakeJsonWriter(&bytes, true);
//     snJsonWriter_BeginObject(&w);
//     snJsonWriter_PutInt(&w, "version", 1);
//     snJsonWriter_EndObject(&w);
//     return snBytes_Check(&bytes, error);
// Pretty documents keep arrays of plain numbers on one line.
#ifndef SN_ASSET_JSON_WRITE_H
#define SN_ASSET_JSON_WRITE_H

#include "asset/bytes.h"

#define SN_JSON_WRITE_DEPTH 64

typedef struct snJsonWriter {
    snBytes *out;
    bool pretty;
    int depth;
    bool afterKey;                     // the next value follows its key on the same line
    bool filled[SN_JSON_WRITE_DEPTH];  // the container at this depth has a child already
    bool inlined[SN_JSON_WRITE_DEPTH]; // the container at this depth stays on one line
} snJsonWriter;

snJsonWriter snMakeJsonWriter(snBytes *out, bool pretty); // two spaces per level when pretty

void snJsonWriter_BeginObject(snJsonWriter *writer);
void snJsonWriter_EndObject(snJsonWriter *writer);
void snJsonWriter_BeginArray(snJsonWriter *writer);
void snJsonWriter_BeginLine(snJsonWriter *writer); // an array that stays on one line when pretty
void snJsonWriter_EndArray(snJsonWriter *writer);

void snJsonWriter_Key(snJsonWriter *writer, const char *key); // then one value
void snJsonWriter_Int(snJsonWriter *writer, int64_t value);
void snJsonWriter_Double(snJsonWriter *writer, double value); // not finite: null
void snJsonWriter_Float(snJsonWriter *writer, float value);   // not finite: null
void snJsonWriter_String(snJsonWriter *writer, const char *text);
void snJsonWriter_Bool(snJsonWriter *writer, bool value);
void snJsonWriter_Null(snJsonWriter *writer);
void snJsonWriter_Raw(snJsonWriter *writer, const char *json,
                      size_t size); // a value made elsewhere

// Key and value in one call.
void snJsonWriter_PutInt(snJsonWriter *writer, const char *key, int64_t value);
void snJsonWriter_PutDouble(snJsonWriter *writer, const char *key, double value);
void snJsonWriter_PutString(snJsonWriter *writer, const char *key, const char *text);
void snJsonWriter_PutBool(snJsonWriter *writer, const char *key, bool value);
void snJsonWriter_PutDoubles(snJsonWriter *writer, const char *key, const double *v, int count);
void snJsonWriter_PutFloats(snJsonWriter *writer, const char *key, const float *v, int count);

// The text as a JSON string with its quotes.
void snBytes_AppendJsonString(snBytes *bytes, const char *text);

#endif
