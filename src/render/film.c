#include "render/film.h"

#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// The encoder's standard input is one end of a socket pair: writing to a socket can be told not to
// raise SIGPIPE when the reader is gone (MSG_NOSIGNAL), so no signal handling of the process needs
// to change, not even for a moment.
struct snFilm {
    pid_t process;
    int input;        // our end of the encoder's standard input
    FILE *complaints; // an unnamed file that takes its standard error
    int width, height;
    int frames;
    char *path, *part; // the final name, and the one it is written under
    bool inPlace;      // these are the same
    char *program;
};

snFilmDef snDefaultFilmDef(void)
{
    return (snFilmDef){
        .width = 960, .height = 540, .rate = 30.0, .quality = 18, .program = "ffmpeg"};
}

static bool isProgram(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

// Looks through PATH as execvp does; a name with a slash is taken as it is.
bool snFilm_Available(const char *program)
{
    if (!program) program = "ffmpeg";
    if (strchr(program, '/')) return isProgram(program);
    const char *path = getenv("PATH");
    char candidate[4096];
    for (const char *s = path ? path : "/usr/local/bin:/usr/bin:/bin"; *s;) {
        size_t length = strcspn(s, ":");
        int n = snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, s, program);
        if (length > 0 && n > 0 && (size_t)n < sizeof candidate && isProgram(candidate))
            return true;
        s += length + (s[length] == ':');
    }
    return false;
}

static char *copyString(const char *a, const char *b)
{
    size_t length = strlen(a) + strlen(b) + 1;
    char *copy = malloc(length);
    if (copy) snprintf(copy, length, "%s%s", a, b);
    return copy;
}

static void freeFilm(snFilm *film)
{
    if (film->input >= 0) close(film->input);
    if (film->complaints) fclose(film->complaints);
    free(film->path);
    free(film->part);
    free(film->program);
    free(film);
}

static snStatus startEncoder(snFilm *film, const snFilmDef *def, int childEnd, snError *error)
{
    char size[48], rate[48], quality[16];
    snprintf(size, sizeof size, "%dx%d", def->width, def->height);
    snprintf(rate, sizeof rate, "%.6f", def->rate);
    snprintf(quality, sizeof quality, "%d", def->quality);
    // Players want even sides and 4:2:0; the picture's range and matrix are named so that colours
    // come out the same everywhere.
    const char *arguments[] = {
        film->program,
        "-hide_banner",
        "-loglevel",
        "error",
        "-nostdin",
        "-y",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgba",
        "-s",
        size,
        "-r",
        rate,
        "-i",
        "pipe:0",
        "-an",
        "-vf",
        "crop=trunc(iw/2)*2:trunc(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv",
        "-pix_fmt",
        "yuv420p",
        "-colorspace",
        "bt709",
        "-color_primaries",
        "bt709",
        "-color_trc",
        "bt709",
        "-crf",
        quality,
        "-movflags",
        "+faststart",
        "-f",
        "mp4",
        film->part,
        NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions)) return snFailMemory(error);
    extern char **environ;
    int failed = posix_spawn_file_actions_adddup2(&actions, childEnd, STDIN_FILENO);
    if (!failed)
        failed =
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed)
        failed =
            posix_spawn_file_actions_adddup2(&actions, fileno(film->complaints), STDERR_FILENO);
    if (!failed)
        failed = posix_spawnp(&film->process, film->program, &actions, NULL,
                              (char *const *)(void *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (!failed) return SN_OK;
    film->process = 0;
    return snFail(error, SN_ERROR_UNSUPPORTED,
                  "the program %s cannot be started: %s; install "
                  "ffmpeg, or check that it runs",
                  film->program, strerror(failed));
}

static snStatus checkDef(const snFilmDef *def, snError *error)
{
    if (!def->path || !def->path[0])
        return snFail(error, SN_ERROR_ARGUMENT, "a film needs a file name");
    if (def->width < 2 || def->height < 2 || def->width > 16384 || def->height > 16384)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a film of %d x %d pixels cannot be made; each side is 2 to 16384",
                      def->width, def->height);
    if (!(def->rate >= 0.01 && def->rate <= 1000.0))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a film of %g frames per second cannot be made; give 0.01 to 1000",
                      def->rate);
    if (def->quality < 0 || def->quality > 51)
        return snFail(error, SN_ERROR_ARGUMENT, "a film's quality is 0 (best) to 51, not %d",
                      def->quality);
    if (!snFilm_Available(def->program))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "the program %s was not found; install the package ffmpeg to make films "
                      "(pictures work without it)",
                      def->program ? def->program : "ffmpeg");
    return SN_OK;
}

// Reserves a name of its own for the unfinished film, so that two writers never share one.
static snStatus makePart(snFilm *film, snError *error)
{
    if (film->inPlace) {
        film->part = copyString(film->path, "");
        return film->part ? SN_OK : snFailMemory(error);
    }
    for (int attempt = 0; attempt < 1000; attempt++) {
        char suffix[48];
        snprintf(suffix, sizeof suffix, ".part-%ld-%d", (long)getpid(), attempt);
        char *part = copyString(film->path, suffix);
        if (!part) return snFailMemory(error);
        int file = open(part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (file >= 0) {
            close(file);
            film->part = part;
            return SN_OK;
        }
        free(part);
        if (errno != EEXIST) break;
    }
    return snFail(error, SN_ERROR_FILE, "%s cannot be written: %s", film->path, strerror(errno));
}

snStatus snFilm_Open(snFilm **result, const snFilmDef *def, snError *error)
{
    *result = NULL;
    snStatus status = checkDef(def, error);
    if (status) return status;
    snFilm *film = calloc(1, sizeof *film);
    if (!film) return snFailMemory(error);
    film->input = -1;
    film->width = def->width, film->height = def->height;
    film->inPlace = def->inPlace;
    film->path = copyString(def->path, "");
    film->program = copyString(def->program ? def->program : "ffmpeg", "");
    film->complaints = tmpfile();
    int ends[2] = {-1, -1};
    if (!film->path || !film->program) {
        status = snFailMemory(error);
    } else if (!film->complaints || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) {
        status = snFail(error, SN_ERROR_FILE, "a pipe to %s cannot be made: %s", film->program,
                        strerror(errno));
    } else {
        film->input = ends[0];
        // Other children of this process must not keep the encoder's input open.
        fcntl(ends[0], F_SETFD, FD_CLOEXEC);
        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
        fcntl(fileno(film->complaints), F_SETFD, FD_CLOEXEC);
        status = makePart(film, error);
        if (!status) status = startEncoder(film, def, ends[1], error);
        close(ends[1]);
    }
    if (status)
        snFilm_Abort(film);
    else
        *result = film;
    return status;
}

// Waits for the encoder's end; true when it left with code 0.
static bool finishEncoder(snFilm *film)
{
    if (film->input >= 0) close(film->input);
    film->input = -1;
    if (film->process <= 0) return false;
    int code = 0;
    pid_t ended;
    do {
        ended = waitpid(film->process, &code, 0);
    } while (ended < 0 && errno == EINTR);
    film->process = 0;
    return ended > 0 && WIFEXITED(code) && WEXITSTATUS(code) == 0;
}

// The last line the encoder wrote to its standard error, which is where the reason stands.
static void readComplaint(snFilm *film, char *line, size_t size)
{
    char text[2048];
    line[0] = 0;
    if (fseek(film->complaints, 0, SEEK_END)) return;
    long end = ftell(film->complaints);
    if (end <= 0) return;
    long from = end > (long)sizeof text - 1 ? end - ((long)sizeof text - 1) : 0;
    if (fseek(film->complaints, from, SEEK_SET)) return;
    size_t count = fread(text, 1, sizeof text - 1, film->complaints);
    while (count > 0 && (text[count - 1] == '\n' || text[count - 1] == '\r'))
        count--;
    text[count] = 0;
    const char *last = strrchr(text, '\n');
    snprintf(line, size, "%.300s", last ? last + 1 : text);
}

static snStatus failEncoding(snFilm *film, snError *error)
{
    char line[320];
    finishEncoder(film);
    readComplaint(film, line, sizeof line);
    return snFail(error, SN_ERROR_FILE, "%s stopped after %d frames of the film: %s", film->program,
                  film->frames, line[0] ? line : "no reason given");
}

static bool sendAll(int socket, const uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(socket, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        data += sent;
        size -= (size_t)sent;
    }
    return true;
}

snStatus snFilm_Add(snFilm *film, const snImage *frame, snError *error)
{
    if (frame->width != film->width || frame->height != film->height || !frame->pixels)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "frame %d of the film is %d x %d pixels, the film is %d x %d", film->frames,
                      frame->width, frame->height, film->width, film->height);
    if (film->input < 0 ||
        !sendAll(film->input, frame->pixels, (size_t)film->width * (size_t)film->height * 4))
        return failEncoding(film, error);
    film->frames++;
    return SN_OK;
}

snStatus snFilm_Close(snFilm *film, snError *error)
{
    snStatus status = SN_OK;
    if (film->frames == 0)
        status = snFail(error, SN_ERROR_ARGUMENT, "a film needs at least one frame");
    else if (!finishEncoder(film))
        status = failEncoding(film, error);
    else if (!film->inPlace && rename(film->part, film->path))
        status =
            snFail(error, SN_ERROR_FILE, "%s cannot be written: %s", film->path, strerror(errno));
    if (status) {
        snFilm_Abort(film);
    } else {
        freeFilm(film);
    }
    return status;
}

void snFilm_Abort(snFilm *film)
{
    if (!film) return;
    if (film->process > 0) kill(film->process, SIGKILL); // nobody wants what it would write
    finishEncoder(film);
    if (film->part && !film->inPlace) unlink(film->part);
    freeFilm(film);
}
