/* uri.h: decodes the URIs of glTF files, and data: URIs (RFC 3986, RFC 2397). */
#ifndef MRWI_LOAD_URI_H
#define MRWI_LOAD_URI_H

#include "base/file.h"

/* Resolves %XX. Returns false if the result is longer than size - 1 bytes or holds a NUL. */
bool mrwi_load_uri_decode(const char *uri, char *out, size_t size);

/* Returns true for "data:..." (RFC 2397). */
bool mrwi_load_uri_is_data(const char *uri);
/* Returns true for a URI with another scheme, like "https://..."; "C:\..." is not one. */
bool mrwi_load_uri_has_scheme(const char *uri);

/* Decodes a data: URI, base64 or percent-encoded. *data comes from mrwi_base_alloc.
 * MRWI_BASE_READ_FAILED if it is malformed. */
mrwi_base_read_result mrwi_load_uri_data(const char *uri, uint8_t **data, size_t *size);

#endif
