layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 color;
layout(location = 3) in vec2 uv;
out vec3 worldPosition;
out vec3 worldNormal;
out vec4 vertexColor;
centroid out vec2 vertexUv;
invariant gl_Position;
void main()
{
    worldPosition = position;
    worldNormal = normal;
    vertexColor = color;
    vertexUv = uv;
    gl_Position = clipFromWorld * vec4(position, 1.0);
}
