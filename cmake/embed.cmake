# Writes files as C arrays, in lists that a row of zeros ends:
#   cmake -DOUTPUT=lists.c -DHEADER=lists.h -DTYPE=entry -DPART=NAME "-DARRAYS=page;examples" "-Dpage=a.js;b.css" -Dexamples=c.jpg
#       -P embed.cmake
# HEADER declares TYPE, a struct of a name, bytes and their number, and the lists.  PART is what a file's name keeps: NAME all,
# NAME_WE what is before its ending.
set(text "/* Written by cmake/embed.cmake. */\n#include \"${HEADER}\"\n\n")
string(REPEAT "." 120 line) # 24 bytes of 5 letters
foreach(list IN LISTS ARRAYS)
    set(rows "")
    foreach(file IN LISTS ${list})
        get_filename_component(name ${file} ${PART})
        string(MAKE_C_IDENTIFIER ${list}_${name}_bytes array)
        file(READ ${file} bytes HEX)
        string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
        string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
        string(APPEND text "static const unsigned char ${array}[] = {\n${bytes}\n};\n\n")
        string(APPEND rows "    { \"${name}\", ${array}, sizeof ${array} },\n")
    endforeach()
    string(APPEND text "const ${TYPE} ${list}[] = {\n${rows}    { 0, 0, 0 },\n};\n\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
