# Writes files as C arrays, for tasks/embedded.h: cmake -DOUTPUT=models.c "-DFILES=a.json;b.json" -P embed.cmake
set(arrays "")
set(rows "")
string(REPEAT "." 120 line) # 24 bytes of 5 letters
foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME_WE)
    string(MAKE_C_IDENTIFIER text_${name} array)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
    string(APPEND arrays "static const unsigned char ${array}[] = {\n${bytes}\n};\n\n")
    string(APPEND rows "    { \"${name}\", ${array}, sizeof ${array} },\n")
endforeach()
file(WRITE ${OUTPUT} "/* Written by cmake/embed.cmake. */\n#include \"tasks/embedded.h\"\n\n${arrays}"
    "const sos_embedded sos_embedded_models[] = {\n${rows}    { 0, 0, 0 },\n};\n")
