// Takes a soft body with the mouse, drags it about and lets it go. The mouse is made up: a list of places on a window of
// 800 x 600 pixels, as an engine would get them from its input.
//     cc grab.c $(pkg-config --cflags --libs sinew) -lm -o grab && ./grab
#include <sinew/sinew.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char scene[] =
    "{\"sinew\": \"scene\", \"version\": 1, \"stepsPerSecond\": 120, \"duration\": 2,"
    " \"bodies\": [{\"name\": \"jelly\", \"box\": {\"size\": [0.4, 0.3, 0.3], \"cells\": [4, 3, "
    "3]},"
    "   \"quadrature\": 1, \"place\": [0, 0.15, 0],"
    "   \"material\": {\"young\": \"15 kPa\", \"density\": 1000, \"damping\": \"8 ms\"}}],"
    " \"colliders\": [{\"kind\": \"floor\", \"friction\": 0.6}]}";

typedef struct Mouse {
    double x, y; // pixels from the upper left
    bool pressed;
} Mouse;

// Down on the jelly, up and to the right, and open: one second of dragging.
static Mouse readMouse(double time)
{
    double t = time < 1 ? time : 1;
    return (Mouse){400 + 120 * t, 400 - 250 * t, time < 1.2};
}

// A camera at (0, 0.4, 2) that looks along -z, 45 degrees high.
static const double eye[3] = {0, 0.4, 2};

static void rayOf(Mouse mouse, double direction[3])
{
    double high = tan(0.5 * 45 * 3.141592653589793 / 180);
    direction[0] = (mouse.x - 400) / 300 * high;
    direction[1] = (300 - mouse.y) / 300 * high;
    direction[2] = -1;
}

int main(void)
{
    snContext context = snDefaultContext();
    snError error = {SN_OK, ""};
    snWorld *world;
    snHand hand = {.grab = -1};
    double highest = 0;
    snWorldReport report;
    if (snWorld_Load(&world, scene, strlen(scene), NULL, &context, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    while (snWorld_Time(world) < 2) {
        Mouse mouse = readMouse(snWorld_Time(world));
        double direction[3], place[3];
        rayOf(mouse, direction);
        if (mouse.pressed && hand.grab < 0) { // takes hold where the ray meets something
            if (snWorld_TakeRay(world, eye, direction, NULL, &hand, &error))
                fprintf(stderr, "%s\n", error.message);
            if (hand.grab >= 0)
                printf("took %s at %.2f %.2f %.2f\n", snWorld_BodyName(world, hand.body),
                       hand.place[0], hand.place[1], hand.place[2]);
        }
        for (int c = 0; c < 3; c++) // as far from the eye as it was taken
            place[c] = eye[c] + hand.distance * direction[c];
        if (!mouse.pressed) snWorld_LetGo(world, &hand);
        snWorld_MoveHand(world, &hand, place);
        snWorld_Step(world);
        snWorld_ReadReport(world, 0, &report);
        highest = fmax(highest, report.center[1]);
    }
    printf("lifted to %.2f m, back at %.2f m\n", highest, report.center[1]);
    snWorld_Free(world);
    return 0;
}
