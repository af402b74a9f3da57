// Averages 6 x 6 texels of nearly equal depth: more than the pattern of turns is wide.
in vec2 uv;
uniform sampler2D source;
uniform sampler2D depthMap;
out vec4 fragment;

float distanceAt(vec2 at)
{
    float near = lens.z, far = lens.w;
    return 2.0 * near * far / (far + near - (2.0 * texture(depthMap, at).r - 1.0) * (far - near));
}

void main()
{
    vec2 texel = 1.0 / vec2(textureSize(source, 0));
    float here = distanceAt(uv);
    float sum = 0.0, weights = 0.0;
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 6; x++) {
            vec2 at = uv + (vec2(float(x), float(y)) - 2.5) * texel;
            float w = exp2(-abs(distanceAt(at) - here) * 40.0) + 1e-4;
            sum += w * texture(source, at).r;
            weights += w;
        }
    fragment = vec4(sum / weights);
}
