layout(location = 0) in vec3 center;
layout(location = 2) in vec4 color;
uniform vec2 radiusAndBias; // pixels; towards the eye
out vec4 pointColor;
out vec2 disc; // in radii

void main()
{
    vec4 p = clipFromWorld * vec4(center, 1.0);
    vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
    disc = corner * (radiusAndBias.x + 1.0) / radiusAndBias.x;
    pointColor = color;
    p.xy += 2.0 * corner * (radiusAndBias.x + 1.0) * screen.zw * p.w;
    p.z -= radiusAndBias.y * p.w;
    gl_Position = p.w < lens.z ? vec4(0.0, 0.0, 2.0, 1.0) : p;
}
