// The monster and the sky hook, some times each, and a cucumber that is shaken; `make bench ONLY=nonrigid/monster` and `nonrigid/hook` have a hundred.
#include "tests/scenes/stories.h"
#include "tests/test.h"

#include <stdlib.h>

static Shipped shipped;
static int stories; // by the command line; 0: a few

static void monstersEat(bool space, int count, uint64_t seed)
{
    snRandom random = snMakeRandom(seed);
    int eaten = 0;
    for (int i = 0; i < count; i++) {
        snError error = {0};
        Walk walk = randomWalk(&random, space);
        Hunt hunt = huntOnce(&shipped, &walk, space, 1 + i % STORY_PREY, &error);
        eaten += hunt.eaten;
        if (!CHECK(hunt.good)) printf("    %s\n", error.message);
        CHECK(hunt.troubles == 0 && hunt.stretch < 1.15);
        if (!hunt.eaten)
            printf("    %d: from %.2f reaches, at %.2f a second, as near as %.3f: %s\n", i,
                   snLength(walk.from), snLength(walk.velocity), walk.nearest, hunt.why);
    }
    printf("    %d of %d eaten %s\n", eaten, count, space ? "in space" : "on the floor");
    CHECK(eaten >= count - count / 20);
}

static void monstersEatOnTheFloor(void)
{
    monstersEat(false, stories ? stories : 2, 31);
}

static void monstersEatInSpace(void)
{
    monstersEat(true, stories ? stories : 1, 32);
}

// As it is shipped: all three, one after another, and the script that waits goes on.
static void itEatsWhateverComes(void)
{
    Play story;
    snError error = {0};
    if (!CHECK(readShippedScene(&shipped, "monster", &story.scene, &error) == SN_OK)) return;
    if (!CHECK(beginStory(&story, &shipped, &error) == SN_OK)) return;
    for (int k = 0; k < story.scene.duration / story.scene.step; k++)
        stepPlay(&story);
    for (int prey = 1; prey <= STORY_PREY; prey++) {
        char name[32];
        snprintf(name, sizeof name, "monster %d", prey);
        int script = findScript(&story.scene, name), eat = findGoal(&story.scene, script, "eat");
        CHECK(snControl_Goal(story.stage.control, script, eat)->wins == 1);
        CHECK(story.stage.control->scriptStates[script].phase == SN_SCRIPT_RUNS);
    }
    endPlay(&story);
}

// Many points of a smooth body in one hand: what their few functions leave of some is no contradiction.
static void cucumbersAreHeld(void)
{
    Play story;
    snError error = {0};
    if (!CHECK(readShippedScene(&shipped, "cucumber-shaken", &story.scene, &error) == SN_OK))
        return;
    if (!CHECK(beginStory(&story, &shipped, &error) == SN_OK)) return;
    for (int k = 0; k < story.scene.duration / story.scene.step; k++)
        snWorld_Step(story.stage.world);
    const snWorld *world = story.stage.world;
    CHECK(!world->tales.data[0].failures && !world->tales.data[0].conflicts);
    endPlay(&story);
}

static void hooksHangThemselvesUp(void)
{
    int count = stories ? stories : 4, good = 0;
    snRandom random = snMakeRandom(33);
    for (int i = 0; i < count; i++) {
        snError error = {0};
        Hang hang = hangOnce(&shipped, &random, &error);
        good += hang.hangs;
        if (!hang.hangs)
            printf("    %d: %s, lowest at %.2f m, %.1e m off\n", i,
                   hang.good ? hang.why : error.message, hang.low, hang.miss);
    }
    printf("    %d of %d hang\n", good, count);
    CHECK(good == count);
}

int main(int argc, char **argv)
{
    stories = argc > 1 ? atoi(argv[1]) : 0;
    makeShipped(&shipped);
    RUN(itEatsWhateverComes);
    RUN(cucumbersAreHeld);
    RUN(hooksHangThemselvesUp);
    RUN(monstersEatOnTheFloor);
    RUN(monstersEatInSpace);
    freeShipped(&shipped);
    return snTest_Finish();
}
