// Matte skin: a wrapped key light with soft shadow, a hemisphere of ambient light with occlusion,
// a weak fill and a rim. Output is premultiplied.
in vec3 worldPosition;
in vec3 worldNormal;
in vec4 vertexColor;
centroid in vec2 vertexUv; // a pixel's middle may lie outside, on another patch of the texture
uniform vec4 material; // opacity, gloss, glass (0, 1), share of light that shadows may take away
uniform sampler2D baseColor; // one white texel where there is no texture
uniform sampler2DShadow shadowMap;
uniform sampler2D occlusionMap;
out vec4 fragment;

// How far light reaches around the terminator: red reaches furthest, as in skin.
const vec3 WRAP = vec3(0.42, 0.30, 0.26);

// In the disc over which a shadow is soft, 22 texels wide. With 8 their pattern is seen as streaks in shadows of near things.
const int KEY_SAMPLES = 24;

float keyVisibility(vec3 n)
{
    // Stepping along the normal keeps the wide filter from shadowing its own surface.
    float slope = 1.0 - clamp(dot(n, key.xyz), 0.0, 1.0);
    vec3 p = worldPosition + n * (0.006 + 0.02 * slope);
    vec3 s = (shadowFromWorld * vec4(p, 1.0)).xyz;
    vec2 direction = 0.011 * noiseDirection(gl_FragCoord.xy);
    float sum = 0.0;
    for (int i = 0; i < KEY_SAMPLES; i++) {
        vec2 at = s.xy + discRadius(i, KEY_SAMPLES) * direction;
        sum += texture(shadowMap, vec3(at, s.z - 0.004));
        direction = GOLDEN_TURN * direction;
    }
    return sum / float(KEY_SAMPLES);
}

// Leaves dark tones alone and bends light ones towards 1 without ever clipping.
vec3 toneMap(vec3 c)
{
    vec3 over = max(c - 0.7, 0.0);
    return min(c, 0.7) + over / (1.0 + over / 0.3);
}

void main()
{
    vec4 texel = texture(baseColor, vertexUv);
#ifdef CUT_OUT
    if (texel.a < 0.5) discard;
#endif
    vec3 n = normalize(gl_FrontFacing ? worldNormal : -worldNormal);
    if (!(dot(n, n) > 0.5)) n = vec3(0.0, 1.0, 0.0);
    vec3 toEye = normalize(eye.xyz - worldPosition);
    float facing = clamp(dot(n, toEye), 0.0, 1.0);
    vec3 albedo = vertexColor.rgb * texel.rgb;

    float occlusion = mix(1.0, texture(occlusionMap, gl_FragCoord.xy * screen.zw).r, material.w);
    float visible = mix(1.0, keyVisibility(n), material.w);

    // A wrapped cosine ((n.l + w) / (1 + w))^2. Around the terminator the shadow map would cut it off
    // with a hard line of the surface's own making, so there it does not count.
    float cosine = dot(n, key.xyz);
    visible = mix(1.0, visible, smoothstep(-0.2, 0.1, cosine));
    vec3 wrapped = clamp((vec3(cosine) + WRAP) / (1.0 + WRAP), 0.0, 1.0);
    vec3 keyLight = vec3(1.0, 0.975, 0.94) * 0.95 * wrapped * wrapped * visible;

    // From above the sky, from below what the floor throws back: little where its own shadow is near.
    float up = n.y * 0.5 + 0.5;
    float above = smoothstep(0.0, 0.55, worldPosition.y - ground.x);
    vec3 floorLight = vec3(0.32, 0.30, 0.28) * mix(1.0, mix(0.45, 1.0, above), ground.w * material.w);
    vec3 ambient = mix(floorLight, vec3(0.45, 0.46, 0.48), up);
    vec3 fillLight = vec3(0.95, 0.97, 1.0) * 0.15 * clamp(dot(n, fill.xyz) * 0.6 + 0.4, 0.0, 1.0);
    // Indirect light has met the surface before: its shade is more saturated than its lit side, and
    // light flesh stays bright in its folds (Jimenez et al., "Practical Realtime Strategies for
    // Accurate Indirect Occlusion", 2016, simplified).
    float lightest = max(max(albedo.r, albedo.g), max(albedo.b, 0.05));
    vec3 deep = mix(albedo, albedo * albedo / lightest, 0.25);
    vec3 bounced = vec3(occlusion) / (1.0 - albedo * 0.45 * (1.0 - occlusion));

    vec3 color = albedo * keyLight * mix(1.0, occlusion, 0.4) + deep * (ambient + fillLight) * bounced;

    float rim = pow(1.0 - facing, 4.0);
    color += 0.16 * rim * (0.35 + 0.65 * up) * occlusion * mix(vec3(1.0), albedo, 0.5);

    vec3 halfway = normalize(key.xyz + toEye);
    float shine = pow(clamp(dot(n, halfway), 0.0, 1.0), mix(14.0, 90.0, material.y));
    color += shine * mix(0.035, 0.35, material.y) * visible * clamp(cosine * 4.0, 0.0, 1.0);
    color = toneMap(color);

    float alpha = clamp(vertexColor.a * material.x, 0.0, 1.0);
    if (material.z > 0.5) {
        // Glass is denser where the line of sight grazes it.
        float edge = pow(1.0 - facing, 2.2);
        alpha = mix(alpha, 1.0, 0.75 * edge);
        color = mix(color, color * 0.72, edge);
    }
    fragment = vec4(color * alpha, alpha);
}
