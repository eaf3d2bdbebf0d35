# Writes files as C arrays, for programs/serve/assets.h: cmake -DOUTPUT=assets.c "-DNAMES=page_assets;..."
# "-Dpage_assets=a.js;b.css" -P embed_files.cmake
set(text "/* Written by cmake/embed_files.cmake. */\n#include \"assets.h\"\n\n")
string(REPEAT "." 120 line) # 24 bytes of 5 letters
foreach(list IN LISTS NAMES)
    set(rows "")
    foreach(file IN LISTS ${list})
        get_filename_component(name ${file} NAME)
        string(MAKE_C_IDENTIFIER ${list}_${name} array)
        file(READ ${file} bytes HEX)
        string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
        string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
        string(APPEND text "static const unsigned char ${array}[] = {\n${bytes}\n};\n\n")
        string(APPEND rows "    { \"${name}\", ${array}, sizeof ${array} },\n")
    endforeach()
    string(APPEND text "const asset ${list}[] = {\n${rows}    { 0, 0, 0 },\n};\n\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
