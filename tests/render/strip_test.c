#include "render/strip.h"
#include "tests/test.h"

#include <math.h>

static const float white[4] = {1, 1, 1, 1};

static const uint8_t *at(const snImage *image, int x, int y)
{
    return &image->pixels[4 * (y * image->width + x)];
}

static void panelsStandInOrder(void)
{
    snImage panels[6] = {{0}}, strip = {0};
    snError error;
    for (int i = 0; i < 6; i++) {
        float grey[4] = {0.1f + 0.15f * (float)i, 0.5f, 0.5f, 1.0f};
        CHECK(snImage_Make(&panels[i], 160, 90, grey, &error) == SN_OK);
    }
    snStripDef def = snDefaultStripDef();
    def.columns = 3, def.gap = 4, def.margin = 10;
    CHECK(snStrip_Compose(&strip, panels, NULL, 6, &def, &error) == SN_OK);
    CHECK(strip.width == 2 * 10 + 3 * 160 + 2 * 4 && strip.height == 2 * 10 + 2 * 90 + 4);
    for (int i = 0; i < 6; i++) {
        int x = 10 + i % 3 * 164, y = 10 + i / 3 * 94;
        CHECK(at(&strip, x, y)[0] == panels[i].pixels[0]);
        CHECK(at(&strip, x + 159, y + 89)[0] == panels[i].pixels[0]);
        CHECK(at(&strip, x - 1, y)[0] == 255);
    }
    // Captions add ink in the lower left corner of their panel only.
    const char *captions[6] = {"0.25 s", NULL, NULL, NULL, NULL, NULL};
    snImage captioned = {0};
    CHECK(snStrip_Compose(&captioned, panels, captions, 6, &def, &error) == SN_OK);
    int changed = 0, outside = 0;
    for (int y = 0; y < strip.height; y++)
        for (int x = 0; x < strip.width; x++)
            if (at(&strip, x, y)[1] != at(&captioned, x, y)[1]) {
                changed++;
                if (x < 10 || x > 90 || y < 70 || y > 100) outside++;
            }
    CHECK(changed > 20 && outside == 0);
    for (int i = 0; i < 6; i++)
        snImage_Destroy(&panels[i]);
    snImage_Destroy(&strip);
    snImage_Destroy(&captioned);
}

static void gridIsChosen(void)
{
    static const int expected[][2] = {{1, 1}, {2, 2}, {4, 2}, {6, 3}, {8, 4}, {9, 3}, {12, 4}};
    snImage panels[12] = {{0}}, strip = {0};
    for (int i = 0; i < 12; i++)
        snImage_Make(&panels[i], 16, 12, white, NULL);
    snStripDef def = snDefaultStripDef();
    def.gap = 0, def.margin = 0;
    for (int k = 0; k < 7; k++) {
        CHECK(snStrip_Compose(&strip, panels, NULL, expected[k][0], &def, NULL) == SN_OK);
        CHECK(strip.width == 16 * expected[k][1]);
    }
    for (int i = 0; i < 12; i++)
        snImage_Destroy(&panels[i]);
    snImage_Destroy(&strip);
}

static void badPanelsAreErrors(void)
{
    snImage panels[2] = {{0}}, strip = {0};
    snError error;
    snStripDef def = snDefaultStripDef();
    CHECK(snStrip_Compose(&strip, panels, NULL, 0, &def, &error) == SN_ERROR_ARGUMENT);
    CHECK(snStrip_Compose(&strip, panels, NULL, 1, &def, &error) == SN_ERROR_ARGUMENT);
    snImage_Make(&panels[0], 10, 10, white, NULL);
    snImage_Make(&panels[1], 10, 11, white, NULL);
    CHECK(snStrip_Compose(&strip, panels, NULL, 2, &def, &error) == SN_ERROR_ARGUMENT);
    def.gap = -1;
    CHECK(snStrip_Compose(&strip, panels, NULL, 1, &def, &error) == SN_ERROR_ARGUMENT);
    CHECK(strip.pixels == NULL);
    snImage_Destroy(&panels[0]);
    snImage_Destroy(&panels[1]);
}

static void colorBarShowsItsMap(void)
{
    snImage image = {0};
    snImage_Make(&image, 200, 200, white, NULL);
    snColorBarDef def = snDefaultColorBarDef();
    def.x = 0.5f, def.y = 0.25f, def.height = 0.5f, def.title = "stretch";
    snImage_ColorBar(&image, &def);
    const uint8_t *top = at(&image, 104, 51), *bottom = at(&image, 104, 148);
    CHECK(top[0] > 100 && top[2] < 100);       // high is red and above
    CHECK(bottom[2] > 100 && bottom[0] < 100); // low is blue and below
    CHECK(at(&image, 104, 99)[1] > 220);       // the middle is near white
    // Formats that do not hold exactly one number are not followed.
    const char *formats[] = {"%s", "%d %f", "%f %f", "%n", "%*f", "%", "none", NULL};
    for (int i = 0; i < 8; i++) {
        def.format = formats[i];
        snImage_ColorBar(&image, &def);
    }
    def.x = NAN, def.height = INFINITY;
    snImage_ColorBar(&image, &def);
    snImage_Destroy(&image);
}

int main(void)
{
    RUN(panelsStandInOrder);
    RUN(gridIsChosen);
    RUN(badPanelsAreErrors);
    RUN(colorBarShowsItsMap);
    return snTest_Finish();
}
