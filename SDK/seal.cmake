# Writes the registry fragment as an installation has it: with the hash of the library, without which no host loads it
# (rule R20). cmake -DLIBRARY=... -DFRAGMENT=... -DSEALED=... -P seal.cmake
file(SHA256 "${LIBRARY}" hash)
file(READ "${FRAGMENT}" text)
string(REGEX REPLACE "\n( *)(\"library\": [^\n]*)" "\n\\1\\2\n\\1\"sha256\": \"${hash}\"," text "${text}")
file(WRITE "${SEALED}.new" "${text}")
file(RENAME "${SEALED}.new" "${SEALED}")
