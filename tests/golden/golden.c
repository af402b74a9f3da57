// Golden hashes: the bits of every example after a few steps, the same for every number of threads, compiler, optimisation level and
// machine. They stand in golden.txt, a line per example: its name, how many steps, the hash of its state, and the same of more steps, which
// `make golden` takes with --whole: as many as two seconds of one core allow, and more where things touch later. "slow" is what takes over a second.
//     golden [--threads 1,2,8] [--only TEXT] [--slow | --quick] [--whole] [--most STEPS] [--file FILE] [--write] [--choose SECONDS]
// Every scene and character in examples/scenes and examples/characters must have its line; --write makes lines anew, with the steps that they have, and with
// --choose as many as go on for so long, up to the example's end.
// With --most all examples take a few steps only, of which golden.txt knows nothing: one build writes the lines of another file, and another
// one is compared with that (tools/golden.sh).
#include "asset/bytes.h"
#include "bake/soft.h"
#include "core/error.h"
#include "core/hash.h"
#include "layered/play.h"
#include "platform/clock.h"
#include "platform/threads.h"
#include "tests/scenes/shipped.h"

#include <dirent.h>
#include <stdlib.h>
#include <time.h>

#define GOLDEN_FILE SN_SOURCE_DIR "/tests/golden/golden.txt"
#define MOST_EXAMPLES 128
#define DEFAULT_STEPS 10

// A number of steps and what there is after them.
typedef struct Golden {
    int steps; // 0: none
    uint64_t hash;
} Golden;

typedef struct Example {
    char name[64]; // "scenes/bar": folder and file without its ending
    Golden first;  // of its line; 0 steps: it has none
    Golden whole;  // and of more steps
    bool slow;     // of its line
} Example;

// How an example is run: until `first.steps`, and on to `whole.steps` (0: no further), or for some seconds of this processor.
typedef struct Way {
    Golden first, whole;
    double choose; // s; 0: steps are known
    bool raise;    // the first, too: a quarter of that
    clock_t begin;
} Way;

typedef struct Goldens {
    int count;
    Example examples[MOST_EXAMPLES]; // by name
} Goldens;

// ---- what there is ---------------------------------------------------------------------------------

static Example *findExample(Goldens *goldens, const char *name)
{
    for (int i = 0; i < goldens->count; i++)
        if (!strcmp(goldens->examples[i].name, name)) return &goldens->examples[i];
    if (goldens->count == MOST_EXAMPLES || strlen(name) >= sizeof goldens->examples[0].name) {
        fprintf(stderr, "golden: more examples, or longer names, than there is room for: %s\n",
                name);
        exit(2);
    }
    Example *example = &goldens->examples[goldens->count++];
    *example = (Example){0};
    snprintf(example->name, sizeof example->name, "%s", name);
    return example;
}

static bool endsIn(const char *name, const char *ending)
{
    size_t length = strlen(name), size = strlen(ending);
    return length > size && !strcmp(name + length - size, ending);
}

// Coats are documents that scenes name; scripts of characters end in .txt.
static void listFolder(Goldens *goldens, const char *folder)
{
    char path[300], name[300];
    snprintf(path, sizeof path, SN_SOURCE_DIR "/examples/%s", folder);
    DIR *directory = opendir(path);
    if (!directory) return;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        bool scene = endsIn(entry->d_name, ".json") && !endsIn(entry->d_name, ".coat.json");
        bool character = endsIn(entry->d_name, ".txt");
        if (!scene && !character) continue;
        int length = (int)(strlen(entry->d_name) - (scene ? 5 : 4));
        snprintf(name, sizeof name, "%s/%.*s", folder, length, entry->d_name);
        findExample(goldens, name);
    }
    closedir(directory);
}

static int byName(const void *a, const void *b)
{
    return strcmp(((const Example *)a)->name, ((const Example *)b)->name);
}

static void listExamples(Goldens *goldens)
{
    listFolder(goldens, "scenes");
    listFolder(goldens, "characters");
    findExample(goldens, "made/puppet");
    findExample(goldens, "demo/bake");
    qsort(goldens->examples, (size_t)goldens->count, sizeof *goldens->examples, byName);
}

// Lines of examples that are gone are complained about; with --write they go.
static bool readGoldens(Goldens *goldens, const char *path, bool write)
{
    FILE *file = fopen(path, "r");
    char line[256], name[64], speed[8];
    unsigned long long whole;
    bool fine = true;
    while (file && fgets(line, sizeof line, file)) {
        int steps, more = 0, listed = goldens->count;
        unsigned long long hash;
        *speed = 0;
        if (*line == '#' ||
            sscanf(line, "%63s %d %llx %d %llx %7s", name, &steps, &hash, &more, &whole, speed) < 5)
            continue;
        Example *example = findExample(goldens, name);
        if (goldens->count > listed) {
            goldens->count = listed;
            if (!write) printf("%s is in %s, but no example\n", name, path);
            fine &= write;
            continue;
        }
        example->first = (Golden){steps, hash};
        example->whole = (Golden){more, whole};
        example->slow = !strcmp(speed, "slow");
    }
    if (file) fclose(file);
    return fine;
}

static bool writeGoldens(const Goldens *goldens, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) return false;
    fprintf(file,
            "# Example, steps, hash of its state after them; and of more steps, for make golden. "
            "Written by: make golden-write\n");
    for (int i = 0; i < goldens->count; i++) {
        const Example *e = &goldens->examples[i];
        fprintf(file, "%s %d %016llx %d %016llx%s\n", e->name, e->first.steps,
                (unsigned long long)e->first.hash, e->whole.steps,
                (unsigned long long)e->whole.hash, e->slow ? " slow" : "");
    }
    return !fclose(file);
}

// ---- their bits ------------------------------------------------------------------------------------

static uint64_t hashOfStage(const snStage *stage)
{
    uint64_t hash = snWorld_Hash(stage->world);
    return stage->control ? hash ^ snControl_Hash(stage->control) : hash; // as `sinew run` has it
}

// Whether there is another step to take after so many, of `most` that the example has.
static bool goesOn(Way *way, int taken, int most)
{
    if (taken == 0) way->begin = clock();
    double seconds = (double)(clock() - way->begin) / CLOCKS_PER_SEC;
    if (way->raise && taken == way->first.steps && taken < most && 4 * seconds < way->choose)
        way->first.steps++;
    if (taken < way->first.steps) return true;
    bool more = way->choose > 0 ? taken < most && seconds < way->choose : taken < way->whole.steps;
    if (!more && way->choose > 0) way->whole.steps = taken;
    return more;
}

// After the first so many steps, and at the end.
static void note(Way *way, int taken, uint64_t hash)
{
    if (taken == way->first.steps) way->first.hash = hash;
    way->whole.hash = hash;
}

static snStatus runScene(Shipped *shipped, const char *name, Way *way, snError *error)
{
    snSceneFile scene;
    snStage stage;
    snStatus status = readShippedScene(shipped, name, &scene, error);
    if (status) return status;
    status = snSceneFile_Build(&scene, &stage, &shipped->context, error);
    if (!status) {
        int most = (int)(scene.duration / stage.world->def.step + 0.5);
        int taken = 0;
        while (goesOn(way, taken, most)) {
            if (stage.control) snControl_Step(stage.control, stage.world, 1);
            snWorld_Step(stage.world);
            if (++taken == way->first.steps) note(way, taken, hashOfStage(&stage));
        }
        note(way, taken, hashOfStage(&stage));
        snStage_Destroy(&stage);
    }
    snSceneFile_Destroy(&scene);
    return status;
}

#define MOST_PLAYED 120 // steps: two seconds
// The document as it is written, and then the skin: a step is a sixtieth of a second.
static snStatus playCharacter(const snEditor *editor, Way *way, const snContext *context,
                              snError *error)
{
    snPlay *play = NULL;
    snPlayDef def = snDefaultPlayDef();
    snBytes text = snMakeBytes(context);
    snArena arena = snMakeArena(context);
    snLayered_Write(&editor->layered, &text);
    snStatus status = snBytes_Check(&text, error);
    uint64_t document = snHash(SN_HASH_BEGIN, text.data, text.size);
    def.settle = 0;
    def.smooth = 1;
    if (!status) status = snPlay_Make(&play, &editor->layered, &def, error);
    snVec3f *places = status ? NULL : SN_NEW(&arena, snVec3f, snPlay_Surface(play)->vertexCount);
    if (!status && !places) status = snFailMemory(error);
    for (int i = 0; !status && goesOn(way, i, MOST_PLAYED); i++) {
        if (!snPlay_Advance(play, (i + 1) / 60.0))
            status = snFail(error, SN_ERROR_NUMERIC, "the skin could not follow in step %d", i + 1);
        if (status ||
            (i + 1 != way->first.steps && i + 1 != way->whole.steps && !(way->choose > 0)))
            continue;
        size_t count = (size_t)snPlay_Surface(play)->vertexCount;
        snPlay_Places(play, places);
        note(way, i + 1, snHash(document, places, count * sizeof *places));
    }
    snPlay_Destroy(play);
    snArena_Destroy(&arena);
    snBytes_Destroy(&text);
    return status;
}

static snStatus runCharacter(Shipped *shipped, const char *name, Way *way, snError *error)
{
    snEditor editor;
    snStatus status = makeShippedCharacter(shipped, name, &editor, error);
    if (status) return status;
    status = playCharacter(&editor, way, &shipped->context, error);
    snEditor_Destroy(&editor);
    return status;
}

// Frames of the demo's hop, the surface of each, and the file with its morph targets.
static snStatus bakeCharacter(const snCharacter *character, const snGltfSource *source, int frames,
                              const snContext *context, uint64_t *hash, snError *error)
{
    snFlesh *flesh = NULL;
    snBake *bake = NULL;
    snFleshDef fleshDef = snDefaultFleshDef();
    snBakeDef def = snDefaultBakeDef();
    snSoftDef softDef = snDefaultSoftDef();
    snSoftReport report;
    snBytes file = snMakeBytes(context);
    int clip = snCharacter_FindClip(character, "hop");
    def.clips = &clip;
    def.clipCount = 1;
    def.loop = SN_LOOP_NEVER;
    def.preroll = 0;
    def.from = 0.25; // on its way up
    def.to = def.from + frames / def.frameRate;
    fleshDef.step = snBakeDef_Step(&def);
    snStatus status = snFlesh_Build(&flesh, character, &fleshDef, context, error);
    if (!status) status = snBake_Run(&bake, flesh, &def, context, error);
    if (!status) status = snSoft_Write(bake, &softDef, source, &file, &report, context, error);
    if (!status) {
        const snBakedClip *baked = bake->clips;
        size_t count = (size_t)baked->frameCount * (size_t)bake->vertexCount;
        *hash = snHash(SN_HASH_BEGIN, baked->positions, count * sizeof *baked->positions);
        *hash = snHash(*hash, file.data, file.size);
    }
    snBytes_Destroy(&file);
    snBake_Destroy(bake);
    snFlesh_Destroy(flesh);
    return status;
}

static snStatus runDemo(Shipped *shipped, int frames, uint64_t *hash, snError *error)
{
    snCharacter character;
    snBytes bytes = snMakeBytes(&shipped->context);
    snStatus status = snMade_WriteDemo(&shipped->context, &bytes, error);
    snGltfSource source = {.bytes = bytes.data, .size = bytes.size};
    if (!status) status = snGltf_Read(&character, &source, &shipped->context, error);
    if (!status) {
        *hash = snHash(SN_HASH_BEGIN, bytes.data, bytes.size);
        status = bakeCharacter(&character, &source, frames, &shipped->context, hash, error);
        snCharacter_Destroy(&character);
    }
    snBytes_Destroy(&bytes);
    return status;
}

static bool hasFile(const char *name, const char *ending)
{
    char path[400];
    snprintf(path, sizeof path, SN_SOURCE_DIR "/examples/%s%s", name, ending);
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

// A bake has an end of its own: of a whole one there is one number.
static snStatus runBoth(Shipped *shipped, Way *way, snError *error)
{
    snStatus status = runDemo(shipped, way->first.steps, &way->first.hash, error);
    if (way->choose > 0 || way->whole.steps <= way->first.steps)
        way->whole = way->first;
    else if (!status)
        status = runDemo(shipped, way->whole.steps, &way->whole.hash, error);
    return status;
}

static snStatus runExample(Shipped *shipped, const char *name, Way *way, snError *error)
{
    const char *own = strchr(name, '/') + 1;
    shipped->folder = "scenes/";
    if (!strncmp(name, "demo/", 5)) return runBoth(shipped, way, error);
    if (!strncmp(name, "made/", 5)) shipped->folder = "made/";
    if (!strncmp(name, "characters/", 11)) shipped->folder = "characters/";
    if (hasFile(name, ".txt")) return runCharacter(shipped, own, way, error);
    return runScene(shipped, own, way, error);
}

// ---- comparing -------------------------------------------------------------------------------------

typedef struct Request {
    int threads[8], threadCount;
    const char *only, *file;
    bool slow, quick; // these alone
    bool whole;       // on to the second number of steps
    double choose;    // s
    int most;         // steps; 0: as many as there are
    bool write;
} Request;

static bool wants(const Request *request, const Example *example)
{
    if (request->slow && !example->slow) return false;
    if (request->quick && example->slow) return false;
    return !request->only || strstr(example->name, request->only);
}

static bool checkExample(Example *example, const Request *request, int round, Shipped *shipped)
{
    snError error = {0};
    double begin = snClock_Seconds();
    bool known = example->first.steps > 0, first = request->write && round == 0;
    if (!known && !request->write) {
        printf("%s: it has no line; write one with: make golden-write\n", example->name);
        return false;
    }
    if (!known) example->first.steps = DEFAULT_STEPS;
    Way way = {.first = {example->first.steps, 0}, .choose = first ? request->choose : 0};
    way.raise = way.choose > 0 && (example->slow || way.first.steps <= DEFAULT_STEPS);
    bool whole = request->write || (request->whole && request->most == 0);
    if (whole) way.whole.steps = example->whole.steps;
    if (runExample(shipped, example->name, &way, &error)) {
        printf("%s: %s\n", example->name, error.message);
        return false;
    }
    whole &= way.whole.steps > way.first.steps;
    if (request->write && !whole) way.whole = way.first;
    bool same =
        way.first.hash == example->first.hash && (!whole || way.whole.hash == example->whole.hash);
    printf("%-28s %3d steps  %016llx  %6.2f s  %d threads%s\n", example->name,
           whole ? way.whole.steps : way.first.steps,
           (unsigned long long)(whole ? way.whole.hash : way.first.hash), snClock_Seconds() - begin,
           request->threads[round],
           same    ? ""
           : first ? "  new"
                   : "  OTHER BITS");
    fflush(stdout);
    if (first) {
        example->first = way.first;
        example->whole = way.whole;
    }
    return same || first;
}

static bool readRequest(Request *request, int count, char **arguments)
{
    *request = (Request){.threads = {1, 2, 8}, .threadCount = 3, .file = GOLDEN_FILE};
    for (int i = 1; i < count; i++) {
        bool more = i + 1 < count;
        if (!strcmp(arguments[i], "--write")) {
            request->write = true;
        } else if (!strcmp(arguments[i], "--slow")) {
            request->slow = true;
        } else if (!strcmp(arguments[i], "--quick")) {
            request->quick = true;
        } else if (!strcmp(arguments[i], "--whole")) {
            request->whole = true;
        } else if (!strcmp(arguments[i], "--choose") && more) {
            request->choose = strtod(arguments[++i], NULL);
        } else if (!strcmp(arguments[i], "--only") && more) {
            request->only = arguments[++i];
        } else if (!strcmp(arguments[i], "--file") && more) {
            request->file = arguments[++i];
        } else if (!strcmp(arguments[i], "--most") && more) {
            request->most = (int)strtol(arguments[++i], NULL, 10);
        } else if (!strcmp(arguments[i], "--threads") && more) {
            request->threadCount = 0;
            for (char *at = arguments[++i]; *at && request->threadCount < 8; at += *at == ',')
                request->threads[request->threadCount++] = (int)strtol(at, &at, 10);
        } else {
            fprintf(stderr,
                    "usage: golden [--threads 1,2,8] [--only TEXT] [--slow | --quick] "
                    "[--whole] [--most STEPS] [--file FILE] [--write] [--choose SECONDS]\n");
            return false;
        }
    }
    return true;
}

int main(int count, char **arguments)
{
    static Goldens goldens;
    Request request;
    if (!readRequest(&request, count, arguments)) return 2;
    listExamples(&goldens);
    // Of another file that is to be written golden.txt has the steps.
    const char *from = request.write ? GOLDEN_FILE : request.file;
    int different = readGoldens(&goldens, from, request.write) ? 0 : 1;
    for (int i = 0; i < goldens.count; i++)
        if (request.most > 0) {
            Example *e = &goldens.examples[i];
            e->first.steps = e->first.steps > request.most ? request.most : e->first.steps;
            e->whole.steps = 0;
        }
    for (int round = 0; round < request.threadCount; round++) {
        Shipped shipped;
        snThreadPool *pool;
        snError error = {0};
        if (snThreadPool_Make(&pool, request.threads[round], &error)) {
            fprintf(stderr, "golden: %s\n", error.message);
            return 2;
        }
        makeShipped(&shipped);
        shipped.context.tasks = snThreadPool_Tasks(pool);
        for (int i = 0; i < goldens.count; i++)
            if (wants(&request, &goldens.examples[i]))
                different += !checkExample(&goldens.examples[i], &request, round, &shipped);
        freeShipped(&shipped);
        snThreadPool_Destroy(pool);
    }
    if (request.write && !writeGoldens(&goldens, request.file)) {
        fprintf(stderr, "golden: %s cannot be written\n", request.file);
        return 2;
    }
    if (different) printf("%d of the examples are not as %s has them\n", different, request.file);
    return different ? 1 : 0;
}
