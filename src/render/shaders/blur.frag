// One direction of a small Gauss-like blur (1 4 6 4 1 by three bilinear reads).
in vec2 uv;
uniform sampler2D source;
uniform vec2 stepSize;
out vec4 fragment;
void main()
{
    float sum = 0.375 * texture(source, uv).r;
    sum += 0.3125 * texture(source, uv + 1.2 * stepSize).r;
    sum += 0.3125 * texture(source, uv - 1.2 * stepSize).r;
    fragment = vec4(sum);
}
