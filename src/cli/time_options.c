#include "cli/time_options.h"

#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 1e6 // s or frames

bool snGivenTime_Take(const snOptionReader *reader, snGivenTime *time)
{
    char *end;
    double value = strtod(reader->value, &end);
    bool frames = !strcmp(end, "f"), good = !*end || !strcmp(end, "s") || frames;
    if (end == reader->value || !good || !(value >= 0 && value <= LONGEST)) {
        snCli_Usage(reader->command,
                    "--%s is \"%s\"; it must be a time such as 1.5s, or frames such as 45f",
                    reader->name, reader->value);
        return false;
    }
    *time = (snGivenTime){true, frames, value};
    return true;
}

int snTimeOptions_Take(snTimeOptions *options, const snOptionReader *reader)
{
    const char *name = reader->name;
    if (!name) return 0;
    if (!strcmp(name, "from")) return snGivenTime_Take(reader, &options->from) ? 1 : -1;
    if (!strcmp(name, "to")) return snGivenTime_Take(reader, &options->to) ? 1 : -1;
    if (!strcmp(name, "loop") || !strcmp(name, "no-loop")) {
        options->loop = *name == 'l' ? SN_LOOP_ALWAYS : SN_LOOP_NEVER;
        return 1;
    }
    if (!strcmp(name, "no-carry")) {
        options->noCarry = true;
        return 1;
    }
    if (strcmp(name, "preroll")) return 0;
    options->autoPreroll = !strcmp(reader->value, "auto");
    if (options->autoPreroll) {
        options->preroll.given = true;
        return 1;
    }
    return snGivenTime_Take(reader, &options->preroll) ? 1 : -1;
}

double snGivenTime_Seconds(const snGivenTime *time, double frameRate)
{
    return time->frames ? time->value / frameRate : time->value;
}

bool snTimeOptions_Apply(const snTimeOptions *options, snBakeDef *def)
{
    def->loop = options->loop;
    def->shakeJumps = options->noCarry;
    if (options->from.given) def->from = snGivenTime_Seconds(&options->from, def->frameRate);
    if (options->to.given) def->to = snGivenTime_Seconds(&options->to, def->frameRate);
    if (options->preroll.given)
        def->preroll = options->autoPreroll
                           ? SN_PREROLL_AUTO
                           : snGivenTime_Seconds(&options->preroll, def->frameRate);
    if (def->preroll > 1000) {
        snCli_Usage("bake", "--preroll is longer than 1000 s");
        return false;
    }
    if (def->to < 0 || def->to >= def->from) return true;
    snCli_Usage("bake", "--to is before --from: nothing would be left");
    return false;
}
