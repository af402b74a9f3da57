// A disc shaded like a ball, with a thin dark outline that sets it off from any ground.
in vec4 pointColor;
in vec2 disc;
uniform vec2 radiusAndBias;
uniform float strength;
out vec4 fragment;
void main()
{
    float r = length(disc);
    float coverage = clamp((1.0 - r) * radiusAndBias.x + 0.5, 0.0, 1.0);
    if (coverage <= 0.0) discard;
    float z = sqrt(max(1.0 - r * r, 0.0));
    float light = 0.62 + 0.42 * clamp(dot(vec3(disc, z), vec3(-0.45, 0.65, 0.61)), 0.0, 1.0);
    float outline = smoothstep(1.0 - 2.4 / radiusAndBias.x, 1.0 - 1.0 / radiusAndBias.x, r);
    vec3 color = pointColor.rgb * light * mix(1.0, 0.45, outline);
    float alpha = pointColor.a * coverage * strength;
    fragment = vec4(color * alpha, alpha);
}
