// maps.glsl: the maps of a material, by the numbers of mrw_raster_map_kind; all 1 without one.

#if (MAPS & 1) != 0
uniform sampler2D map_0;
vec4 base_color_map() { return sample_map(map_0, 0); }
#else
vec4 base_color_map() { return vec4(1.0); }
#endif
#if (MAPS & 2) != 0
uniform sampler2D map_1;
vec4 metallic_roughness_map() { return sample_map(map_1, 1); }
#else
vec4 metallic_roughness_map() { return vec4(1.0); }
#endif
#if (MAPS & 4) != 0
uniform sampler2D map_2;
vec4 normal_map() { return sample_map(map_2, 2); }
#else
vec4 normal_map() { return vec4(1.0); }
#endif
#if (MAPS & 8) != 0
uniform sampler2D map_3;
vec4 occlusion_map() { return sample_map(map_3, 3); }
#else
vec4 occlusion_map() { return vec4(1.0); }
#endif
#if (MAPS & 16) != 0
uniform sampler2D map_4;
vec4 emissive_map() { return sample_map(map_4, 4); }
#else
vec4 emissive_map() { return vec4(1.0); }
#endif
#if (MAPS & 32) != 0
uniform sampler2D map_5;
vec4 specular_map() { return sample_map(map_5, 5); }
#else
vec4 specular_map() { return vec4(1.0); }
#endif
#if (MAPS & 64) != 0
uniform sampler2D map_6;
vec4 metallic_map() { return sample_map(map_6, 6); }
#else
vec4 metallic_map() { return vec4(1.0); }
#endif
#if (MAPS & 128) != 0
uniform sampler2D map_7;
vec4 roughness_map() { return sample_map(map_7, 7); }
#else
vec4 roughness_map() { return vec4(1.0); }
#endif
#if (MAPS & 256) != 0
uniform sampler2D map_8;
vec4 specular_strength_map() { return sample_map(map_8, 8); }
#else
vec4 specular_strength_map() { return vec4(1.0); }
#endif
#if (MAPS & 512) != 0
uniform sampler2D map_9;
vec4 clearcoat_map() { return sample_map(map_9, 9); }
#else
vec4 clearcoat_map() { return vec4(1.0); }
#endif
#if (MAPS & 1024) != 0
uniform sampler2D map_10;
vec4 clearcoat_roughness_map() { return sample_map(map_10, 10); }
#else
vec4 clearcoat_roughness_map() { return vec4(1.0); }
#endif
#if (MAPS & 2048) != 0
uniform sampler2D map_11;
vec4 clearcoat_normal_map() { return sample_map(map_11, 11); }
#else
vec4 clearcoat_normal_map() { return vec4(1.0); }
#endif
#if (MAPS & 4096) != 0
uniform sampler2D map_12;
vec4 sheen_color_map() { return sample_map(map_12, 12); }
#else
vec4 sheen_color_map() { return vec4(1.0); }
#endif
#if (MAPS & 8192) != 0
uniform sampler2D map_13;
vec4 sheen_roughness_map() { return sample_map(map_13, 13); }
#else
vec4 sheen_roughness_map() { return vec4(1.0); }
#endif
