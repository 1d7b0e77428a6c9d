// none.frag: of programs whose vertices go to a buffer: ES takes none without.

void main() {}
