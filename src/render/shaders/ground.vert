// A square around the middle, so large that its rim has faded into the background.
out vec3 worldPosition;
void main()
{
    vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
    worldPosition = vec3(corner.x * 60.0, ground.x, corner.y * 60.0);
    gl_Position = clipFromWorld * vec4(worldPosition, 1.0);
}
