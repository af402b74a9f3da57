layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 color;
out vec3 worldPosition;
out vec3 worldNormal;
out vec4 vertexColor;
invariant gl_Position;
void main()
{
    worldPosition = position;
    worldNormal = normal;
    vertexColor = color;
    gl_Position = clipFromWorld * vec4(position, 1.0);
}
