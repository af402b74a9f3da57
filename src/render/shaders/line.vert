// A line as a strip of two triangles, as wide on the picture as asked plus a pixel for its soft
// edge. Clipped here in front of the eye, because the widening is done after the division.
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in vec4 color;
uniform vec2 widthAndBias; // pixels; towards the eye
out vec4 lineColor;
out float across; // pixels from the middle

void main()
{
    vec4 a = clipFromWorld * vec4(from, 1.0);
    vec4 b = clipFromWorld * vec4(to, 1.0);
    float near = lens.z;
    lineColor = color;
    across = 0.0;
    if (a.w < near && b.w < near) {
        gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
        return;
    }
    if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
    if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
    vec2 pa = a.xy / a.w * screen.xy, pb = b.xy / b.w * screen.xy;
    vec2 along = pb - pa;
    float len = length(along);
    along = len > 1e-6 ? along / len : vec2(1.0, 0.0);
    float side = float(gl_VertexID & 1) * 2.0 - 1.0;
    across = side * (0.5 * widthAndBias.x + 1.0);
    vec4 p = gl_VertexID < 2 ? a : b;
    p.xy += 2.0 * across * vec2(-along.y, along.x) * screen.zw * p.w;
    p.z -= widthAndBias.y * p.w;
    // What is far is fainter, or a lattice would be a thicket.
    float far = 0.5 + 0.5 * (p.w - length(eye.xyz));
    lineColor.a *= mix(1.0, 0.35, clamp(far, 0.0, 1.0));
    gl_Position = p;
}
