/* A symbol that a bundle must not export. */
__attribute__((visibility("default"))) int mh_fixture_extra(void) { return 1; }
