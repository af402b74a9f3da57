// How much of the sky a point of the floor sees. The underside of things is known as a height h
// over each point (the height map). A small level patch dA at height h and horizontal distance r
// has from the floor the form factor h^2 / (pi (r^2 + h^2)^2) dA; over a full ring from r0 to r1 that is
//     h^2 / (r0^2 + h^2) - h^2 / (r1^2 + h^2),
// so each ring is probed at a few places and weighs by this difference. The rings' weights for one
// h sum to 1 as they should: under a low ceiling no light is left.
in vec2 uv;
uniform sampler2D heightMap;
out vec4 fragment;
const int RINGS = 7;
const float EDGES[8] = float[8](0.0, 0.03, 0.075, 0.15, 0.27, 0.45, 0.75, 1.3);
const int PROBES = 6;
const mat2 SIXTH_TURN = mat2(0.5, 0.8660254, -0.8660254, 0.5);
void main()
{
    float noise = interleavedNoise(gl_FragCoord.yx + 31.0);
    vec2 direction = noiseDirection(gl_FragCoord.xy);
    float hidden = 0.0;
    for (int ring = 0; ring < RINGS; ring++) {
        float r0 = EDGES[ring], r1 = EDGES[ring + 1];
        direction = GOLDEN_TURN * direction;
        for (int i = 0; i < PROBES; i++) {
            float r = mix(r0, r1, fract(noise + 0.618034 * float(i)));
            vec2 p = uv + r * direction / heightRect.zw;
            direction = SIXTH_TURN * direction;
            float d = texture(heightMap, p).r;
            if (d >= 0.9999) continue;
            float h = max(heightRange.x + d * heightRange.y - ground.x, 0.004);
            float hh = h * h;
            hidden += hh / (r0 * r0 + hh) - hh / (r1 * r1 + hh);
        }
    }
    fragment = vec4(clamp(1.0 - hidden / float(PROBES), 0.0, 1.0));
}
