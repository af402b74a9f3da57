// Ambient occlusion of surfaces from their own depth, at half the picture's size (after McGuire,
// Mara, Luebke, "Scalable Ambient Obscurance", 2012).
in vec2 uv;
uniform sampler2D depthMap;
out vec4 fragment;
const int TAPS = 12;
const float RADIUS = 0.17; // world

vec3 viewPosition(vec2 at, float depth)
{
    float near = lens.z, far = lens.w;
    float z = 2.0 * near * far / (far + near - (2.0 * depth - 1.0) * (far - near));
    vec2 ndc = at * 2.0 - 1.0 - lensShift.xy;
    return vec3(ndc * lens.xy * z, -z);
}

vec3 positionAt(vec2 at)
{
    return viewPosition(at, texture(depthMap, at).r);
}

// The shorter of both differences does not reach over an outline.
vec3 shorter(vec3 a, vec3 b)
{
    return dot(a, a) < dot(b, b) ? a : b;
}

void main()
{
    float depth = texture(depthMap, uv).r;
    if (depth >= 1.0) {
        fragment = vec4(1.0);
        return;
    }
    vec3 p = viewPosition(uv, depth);
    vec2 texel = 2.0 * screen.zw;
    vec3 dx = shorter(positionAt(uv + vec2(texel.x, 0.0)) - p, p - positionAt(uv - vec2(texel.x, 0.0)));
    vec3 dy = shorter(positionAt(uv + vec2(0.0, texel.y)) - p, p - positionAt(uv - vec2(0.0, texel.y)));
    vec3 n = normalize(cross(dx, dy));
    float turn = 6.2831853 * interleavedNoise(gl_FragCoord.xy);
    vec2 reach = 0.5 * RADIUS / (lens.xy * -p.z);
    float sum = 0.0;
    for (int i = 0; i < TAPS; i++) {
        vec3 v = positionAt(uv + reach * discPoint(i, TAPS, turn)) - p;
        float vv = dot(v, v), vn = dot(v, n);
        float f = max(RADIUS * RADIUS - vv, 0.0) / (RADIUS * RADIUS);
        sum += f * f * f * max((vn - 0.006) / (vv + 0.0004), 0.0);
    }
    // 5 RADIUS / taps is the paper's normalisation (its intensity sigma = 1, kernel (r^2-v^2)^3).
    fragment = vec4(max(0.0, 1.0 - 1.1 * RADIUS * sum * 5.0 / float(TAPS) * 0.5));
}
