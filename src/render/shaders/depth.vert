// Positions only, seen through any matrix: shadow map, height map, early depth.
uniform mat4 clipFromPosition;
layout(location = 0) in vec3 position;
#ifdef CUT_OUT
layout(location = 3) in vec2 uv;
out vec2 vertexUv;
#endif
void main()
{
#ifdef CUT_OUT
    vertexUv = uv;
#endif
    gl_Position = clipFromPosition * vec4(position, 1.0);
}
