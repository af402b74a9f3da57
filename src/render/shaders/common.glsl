#version 300 es
precision highp float;
precision highp sampler2D; // the default is too coarse for depths
precision highp sampler2DShadow;

// The same for all programs of a picture; the mirror of snFrame (frame.h). "World" is the scene
// moved and scaled so that the bounds have their middle at 0 and a half diagonal of 1.
layout(std140) uniform Frame {
    mat4 clipFromWorld;
    mat4 viewFromWorld;
    mat4 shadowFromWorld; // into [0,1]^3, depth grows away from the key light
    mat4 heightFromWorld; // into [0,1]^3, depth grows upwards from just below the ground
    vec4 eye;
    vec4 key;         // unit vector towards the key light; w: tangent of its half angle
    vec4 fill;        // unit vector towards the fill light
    vec4 background;  // linear
    vec4 ground;      // height, distance of the fade, spacing of the grid (0: none), shown (0, 1)
    vec4 shadowRect;  // on the ground: x, z of the corner; sizes
    vec4 heightRect;  // the same for the ambient light
    vec4 heightRange; // y at depth 0, length of the depth range
    vec4 gridOrigin;  // x, z of a crossing of grid lines
    vec4 screen;      // width, height, their inverses
    vec4 lens;        // tangents of half the picture's width and height, near, far
    vec4 lensShift;   // of the middle of the picture, in clip space
};

// n points that fill the unit disc evenly (Vogel 1979): the i-th has this radius, and each is turned
// by the golden angle from the one before it. A loop multiplies by the constant matrix instead of
// calling sin and cos for each point.
const mat2 GOLDEN_TURN = mat2(-0.73736888, 0.67549030, -0.67549030, -0.73736888);
float discRadius(int i, int n)
{
    return sqrt((float(i) + 0.5) / float(n));
}

// A smooth-looking pattern of numbers in [0, 1) with few low frequencies, so that a small blur
// removes it (Jimenez, "Next Generation Post Processing in Call of Duty", 2014).
float interleavedNoise(vec2 pixel)
{
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
}

// A direction by that pattern.
vec2 noiseDirection(vec2 pixel)
{
    float turn = 6.2831853 * interleavedNoise(pixel);
    return vec2(cos(turn), sin(turn));
}
