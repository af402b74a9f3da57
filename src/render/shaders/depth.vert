// Positions only, seen through any matrix: shadow map, height map, early depth.
uniform mat4 clipFromPosition;
layout(location = 0) in vec3 position;
void main()
{
    gl_Position = clipFromPosition * vec4(position, 1.0);
}
