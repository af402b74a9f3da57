// Ambient occlusion of surfaces from their own depth, at half the picture's size (after McGuire,
// Mara, Luebke, "Scalable Ambient Obscurance", 2012).
in vec2 uv;
uniform sampler2D depthMap;
out vec4 fragment;
const int TAPS = 24; // with 12 the shade between things that stand close has streaks
const float RADIUS = 0.26; // world

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
    vec2 texel = 1.0 / vec2(textureSize(depthMap, 0));
    vec3 dx = shorter(positionAt(uv + vec2(texel.x, 0.0)) - p, p - positionAt(uv - vec2(texel.x, 0.0)));
    vec3 dy = shorter(positionAt(uv + vec2(0.0, texel.y)) - p, p - positionAt(uv - vec2(0.0, texel.y)));
    vec3 n = normalize(cross(dx, dy));
    vec2 direction = noiseDirection(gl_FragCoord.xy);
    vec2 reach = 0.5 * RADIUS / (lens.xy * -p.z);
    float sum = 0.0;
    for (int i = 0; i < TAPS; i++) {
        vec3 v = positionAt(uv + reach * discRadius(i, TAPS) * direction) - p;
        direction = GOLDEN_TURN * direction;
        float vv = dot(v, v), vn = dot(v, n);
        float f = max(RADIUS * RADIUS - vv, 0.0) / (RADIUS * RADIUS);
        // Flat angles are left out: they are the facets of a round surface.
        sum += f * f * f * max((vn - 0.05 * sqrt(vv) - 0.002) / (vv + 0.0004), 0.0);
    }
    // The paper's normalisation 5 r / taps for this kernel, with intensity 2.
    fragment = vec4(max(0.0, 1.0 - 2.0 * 5.0 * RADIUS / float(TAPS) * sum));
}
