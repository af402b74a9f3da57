in vec2 uv;
out vec4 fragment;
void main()
{
    fragment = vec4(background.rgb * background.a, background.a);
}
