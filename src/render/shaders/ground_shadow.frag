// The key light's shadow on the floor, hard at contacts and softer with the height of what casts
// it (Fernando, "Percentage-Closer Soft Shadows", 2005), into a map that lies on the floor.
in vec2 uv;
uniform sampler2DShadow shadowMap;
uniform sampler2D shadowDepth;
uniform vec2 depthScale; // world lengths of the shadow map's depth range and width
out vec4 fragment;
const int SEARCH = 14;
const int TAPS = 22;
void main()
{
    vec2 xz = shadowRect.xy + uv * shadowRect.zw;
    vec3 s = (shadowFromWorld * vec4(xz.x, ground.x, xz.y, 1.0)).xyz;
    vec2 direction = noiseDirection(gl_FragCoord.xy);
    float widest = key.w * 1.6 / depthScale.y;
    float blockers = 0.0, depth = 0.0;
    for (int i = 0; i < SEARCH; i++) {
        vec2 offset = widest * discRadius(i, SEARCH) * direction;
        direction = GOLDEN_TURN * direction;
        float d = texture(shadowDepth, s.xy + offset).r;
        if (d < min(s.z, 0.9999) - 0.001) {
            blockers += 1.0;
            depth += d;
        }
    }
    if (blockers < 0.5) {
        fragment = vec4(1.0);
        return;
    }
    float gap = max(s.z - depth / blockers, 0.0) * depthScale.x;
    float radius = clamp(key.w * gap / depthScale.y, 0.0025, widest);
    float sum = 0.0;
    for (int i = 0; i < TAPS; i++) {
        vec2 offset = radius * discRadius(i, TAPS) * direction;
        direction = GOLDEN_TURN * direction;
        sum += texture(shadowMap, vec3(s.xy + offset, min(s.z, 1.0) - 0.001));
    }
    fragment = vec4(sum / float(TAPS));
}
