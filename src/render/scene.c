// Definitions that look good as they are.
#include "render/color.h"
#include "render/render.h"

snRendererDef snDefaultRendererDef(void)
{
    return (snRendererDef){.width = 960, .height = 540, .samples = 4, .shadowSize = 1024};
}

snSurfaceDraw snDefaultSurfaceDraw(void)
{
    snSurfaceDraw draw = {.opacity = 1.0f, .castsShadow = true};
    snColor_FromHex(0xd9bfa8, draw.color);
    return draw;
}

snLineDraw snDefaultLineDraw(void)
{
    snLineDraw draw = {.width = 1.3f};
    snColor_FromHex(0x35557f, draw.color);
    return draw;
}

snPointDraw snDefaultPointDraw(void)
{
    snPointDraw draw = {.radius = 4.0f};
    snColor_FromHex(0xe0603f, draw.color);
    return draw;
}

snBoneDraw snDefaultBoneDraw(void)
{
    snBoneDraw draw = {.thickness = 0.12f};
    snColor_FromHex(0xe8913c, draw.color);
    return draw;
}

snLabel snDefaultLabel(void)
{
    snLabel label = {.x = 0.02f, .y = 0.97f, .size = 12.0f, .text = ""};
    snColor_FromHex(0x4a4f57, label.color);
    return label;
}

snScene snDefaultScene(void)
{
    snScene scene = {.bounds = snEmptyBox(), .ground = true};
    snColor_FromHex(0xf6f7f8, scene.background);
    return scene;
}

snCamera snDefaultCamera(void)
{
    return (snCamera){
        .automatic = true, .yaw = 32.0, .pitch = 13.0, .fieldOfView = 28.0, .zoom = 0.92};
}
