#include "cli/cli.h"
#include "cli/options.h"
#include "cli/text.h"

#include <stdio.h>
#include <string.h>

static const snCommand commands[] = {
    {"bake", "give an animated character flesh and write the result", snCommand_Bake},
    {"run", "simulate a scene of soft bodies", snCommand_Run},
    {"build", "build a layered character by a script of operations", snCommand_Build},
    {"rig", "say what would be decided about its flesh; write it down for editing", snCommand_Rig},
    {"coat", "put flesh round a skeleton or a motion capture", snCommand_Coat},
    {"render", "draw a character or a baked result: film strips and films", snCommand_Render},
    {"info", "say what is in a character file", snCommand_Info},
};
#define COMMANDS ((int)(sizeof commands / sizeof *commands))

static void printHelp(void)
{
    printf("sinew: living flesh for animated characters\n\n"
           "Usage: sinew COMMAND [OPTIONS] FILE\n\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].summary);
    printf("\n`sinew COMMAND --help` tells more. To begin with:\n"
           "  sinew bake fox.glb -o fox-soft.glb\n"
           "  sinew render fox-soft.glb -o fox.png\n");
}

// What was printed must have arrived (a full disk behind a redirection).
static int finish(int code)
{
    if (!fflush(stdout) && !ferror(stdout)) return code;
    fprintf(stderr, "sinew: standard output cannot be written\n");
    return code ? code : SN_EXIT_FAILED;
}

int main(int count, char **arguments)
{
    const char *names[COMMANDS];
    for (int i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    if (count < 2) {
        fprintf(stderr, "sinew: a command is missing; `sinew --help` lists them\n");
        return SN_EXIT_USAGE;
    }
    const char *word = arguments[1];
    if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
        printHelp();
        return SN_EXIT_DONE;
    }
    if (!strcmp(word, "--version")) {
        printf("sinew %d.%d.%d\n", SN_VERSION_MAJOR, SN_VERSION_MINOR, SN_VERSION_PATCH);
        return SN_EXIT_DONE;
    }
    int which = snFindWord(word, names, COMMANDS);
    if (which >= 0) return finish(commands[which].run(count - 2, arguments + 2));
    fprintf(stderr, "sinew: unknown command %s; `sinew --help` lists them%s\n", snPlain(word).text,
            snHint_Of("", snSuggest(word, names, COMMANDS), "").text);
    return SN_EXIT_USAGE;
}
