// The floor has the background's own colour, so that it has no horizon; shadow, occlusion and grid
// darken it.
in vec3 worldPosition;
uniform sampler2D groundShadow;
uniform sampler2D groundAmbient;
out vec4 fragment;

float lookUp(sampler2D map, vec4 rect)
{
    vec2 uv = (worldPosition.xz - rect.xy) / rect.zw;
    if (any(greaterThan(abs(uv - 0.5), vec2(0.5)))) return 1.0;
    vec2 inside = smoothstep(vec2(0.0), vec2(0.04), uv) * smoothstep(vec2(0.0), vec2(0.04), 1.0 - uv);
    return mix(1.0, texture(map, uv).r, inside.x * inside.y);
}

float gridLines(float fade)
{
    vec2 g = (worldPosition.xz - gridOrigin.xy) / ground.z;
    vec2 width = fwidth(g);
    vec2 distance = abs(fract(g - 0.5) - 0.5);
    vec2 line = 1.0 - smoothstep(vec2(0.6), vec2(1.5), distance / max(width, 1e-6));
    line *= 1.0 - smoothstep(vec2(0.1), vec2(0.5), width); // gone before it can shimmer
    return max(line.x, line.y) * fade;
}

void main()
{
    float reach = length(worldPosition.xz);
    float fade = 1.0 - smoothstep(0.35 * ground.y, ground.y, reach);
    float key = lookUp(groundShadow, shadowRect);
    float ambient = lookUp(groundAmbient, heightRect);
    float shade = 0.60 * mix(1.0, ambient, 0.9) + 0.40 * key;
    shade = mix(1.0, shade, fade);
    if (ground.z > 0.0) shade *= 1.0 - 0.11 * gridLines(fade);
    // Against banding in the soft parts, and nowhere else.
    shade += (interleavedNoise(gl_FragCoord.xy) - 0.5) / 160.0 * clamp(20.0 * (1.0 - shade), 0.0, 1.0);
    vec3 tint = mix(vec3(1.0), vec3(0.985, 0.99, 1.0), 1.0 - shade); // shadows are a little cool
    fragment = vec4(background.rgb * background.a * shade * tint, 1.0 - (1.0 - background.a) * shade);
}
