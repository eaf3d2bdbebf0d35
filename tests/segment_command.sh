#!/usr/bin/env bash
# segment_command.sh - what s3svm segment prints, writes and returns.  S3SVM names the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

if command -v python3 >/dev/null; then
    json_check() { holds "not JSON" python3 -m json.tool out /dev/null; }
else
    echo "python3 is not there: JSON is not checked by a parser"
    json_check() { :; }
fi

# picture KIND WIDTH HEIGHT: a PGM (P2) or PPM (P3) whose pixels awk computes from $4: a disc of radius 14 around (24, 20), in
# which d < 14, and marks: m is 1 in its middle, 2 along the top.
picture()
{
    awk -v kind="$1" -v width="$2" -v height="$3" "BEGIN {
        print kind; print width, height; print 255
        for (y = 0; y < height; y++)
            for (x = 0; x < width; x++) {
                d = sqrt((x - 24) ^ 2 + (y - 20) ^ 2)
                m = d < 5 ? 1 : y < 3 ? 2 : 0
                n = (x * 7919 + y * 104729 + x * y * 31) % 17
                $4
            }
    }"
}

# pixels FILE COUNT: the grey values of a PGM as the command writes them, one per line.
pixels() { tail -c "$2" "$1" | od -An -v -tu1 -w1 | tr -d ' '; }

# disc_like FILE: a mask that is the disc but for some pixels.
disc_like()
{
    pixels "$1" 1920 >mask
    awk 'NR == FNR { truth[NR] = $1; next }
        { bad += $1 != 0 && $1 != 255; wrong += $1 != truth[FNR] }
        END { exit bad || wrong > 20 }' disc mask
}

# keeps_marks FILE: a mask in which all that is marked as object is object.
keeps_marks()
{
    pixels "$1" 1920 >mask
    awk 'NR == FNR { mark[NR] = $1; next } { lost += mark[FNR] == 1 && $1 != 255 } END { exit lost > 0 }' marks mask
}

picture P3 48 40 'if (d < 14) print 200 + n, 110 + n, 50 + n; else print 40 + n, 70 + n, 130 + n' >photo.ppm
picture P2 48 40 'print m' >palette.pgm
picture P2 48 40 'print m == 1 ? 1 : m == 2 ? 0 : 2' >opencv.pgm
picture P2 48 40 'print m == 1 ? 255 : m == 2 ? 0 : 128' >trimap.pgm
picture P3 48 40 'print m == 1 ? "255 0 0" : m == 2 ? "0 0 255" : "255 255 255"' >colour.ppm

run 0 segment --help
has out "Usage: s3svm segment [options] PHOTO --scribbles FILE -o MASK | DIR -o OUTDIR"
has out "--convention auto|palette|opencv|trimap|colour"
run 0 help segment
has out "Examples:"

# every convention says the same, and the mask is the disc
for convention in palette opencv trimap colour; do
    scribbles=$convention.pgm
    [ -e "$scribbles" ] || scribbles=$convention.ppm
    run 0 segment photo.ppm --scribbles "$scribbles" --method grabcut -o "mask-$convention.pgm" --json
    json_check
    is convention "\"$convention\""
    is method '"grabcut"'
    is width 48
    is height 40
    is reduction 1
    is background_assumed false
    is object_marks 69
    is background_marks 144
    run 0 segment photo.ppm --scribbles "$scribbles" --method grabcut -o again.pgm --convention "$convention"
    same again.pgm "mask-$convention.pgm"
    same "mask-$convention.pgm" mask-palette.pgm
done
has out "  scribbles    colour, over white: red object, blue background (69 and 144 pixels)"
has out "  method       grabcut"
has out "  object       "
picture P2 48 40 'print d < 14 ? 255 : 0' | tail -n +4 >disc
picture P2 48 40 'print m' | tail -n +4 >marks
holds "the mask is the disc" disc_like mask-palette.pgm

# the default method, without a model for photographs inside, is GrabCut, and says so
run 0 segment photo.ppm --scribbles palette.pgm -o default.pgm
if grep -q "the method is GrabCut" err; then same default.pgm mask-palette.pgm; fi

# a rectangle, alone and with scribbles, which win
run 0 segment photo.ppm --rect 6,3,36,35 --method grabcut -o rectangle.pgm --json
json_check
is rectangle '"6,3,36,35"'
holds "the mask of the rectangle is the disc" disc_like rectangle.pgm
run 0 segment photo.ppm --rect 20,16,28,24 --scribbles palette.pgm --method grabcut -o both.pgm
holds "scribbles win" keeps_marks both.pgm
run 0 segment photo.ppm --rect -5,-5,500,500 --method grabcut -o whole.pgm
has err "no background is marked: the border of the photograph was taken as background"

# clicks, each a step of its own: what the same list of marks says, in that order
run 0 segment photo.ppm --click 24,20 --click-background 3,3 --click=30,14 --method grabcut -o clicks.pgm --json
json_check
is object_clicks 2
is background_clicks 1
holds "the mask of clicks is the disc" disc_like clicks.pgm
cat >clicks.json <<'END'
{ "format": "s3svm marks", "version": 1, "width": 48, "height": 40, "steps": [
    [{ "shape": "stroke", "label": "object", "radius": 5, "points": [24, 20] }],
    [{ "shape": "stroke", "label": "background", "radius": 5, "points": [3, 3] }],
    [{ "shape": "stroke", "label": "object", "radius": 5, "points": [30, 14] }] ] }
END
run 0 segment photo.ppm --marks clicks.json --method grabcut -o listed.pgm
same listed.pgm clicks.pgm
run 0 segment photo.ppm --click 24,20 --click-background 24,20 --method grabcut -o later.pgm
has out "  clicks       1 on the object, 1 on the background"
holds "the later click wins" test "$(pixels later.pgm 1920 | sed -n $((20 * 48 + 25))p)" = 0
run 0 segment photo.ppm --click-background 24,20 --click 24,20 --method grabcut -o later.pgm
holds "the later click wins" test "$(pixels later.pgm 1920 | sed -n $((20 * 48 + 25))p)" = 255
run 0 segment photo.ppm --rect 6,3,36,35 --click-background 24,20 --method grabcut -o later.pgm
holds "clicks win over the rectangle" test "$(pixels later.pgm 1920 | sed -n $((20 * 48 + 25))p)" = 0
for click in 1 1,2,3 a,b 1e9,0 nan,1 ""; do
    run 2 segment photo.ppm "--click=1,2" "--click-background=$click" -o x.pgm
    has err "--click-background takes x,y in pixels, not '$click'"
done
for click in 48,3 3,40 -1,3 3,-1; do
    run 1 segment photo.ppm "--click=$click" --method grabcut -o x.pgm
    has err "the click $click is outside of the photograph, which has 48 by 40 pixels"
done
missing x.pgm

# the parts of the time make up the whole
adds_up() { awk -F '[:,]' '/"seconds/ { t[$1] = $2 } END { d = t["  \"seconds\""] - t["  \"seconds_read\""] - t["  \"seconds_segment\""] - t["  \"seconds_pictures\""]; exit !(d * d < 1e-18 && t["  \"seconds\""] > 0) }' out; }
run 0 segment photo.ppm --scribbles palette.pgm --method grabcut -o x.pgm --json
holds "reading, segmenting and writing are all" adds_up
rm x.pgm

# cut-outs on a colour and on a picture, cut to the object, with the depth of the photograph
cutout=(segment photo.ppm --scribbles palette.pgm --method grabcut)
run 0 "${cutout[@]}" --cutout white.ppm --backdrop white
run 0 "${cutout[@]}" --cutout other.ppm --backdrop '#FFFFFF'
same other.ppm white.ppm
run 0 "${cutout[@]}" --cutout short.ppm --backdrop '#fff'
same short.ppm white.ppm
holds "a corner is white" test "$(tail -c 5760 white.ppm | head -c 3 | od -An -tu1)" = " 255 255 255"
run 0 "${cutout[@]}" --cutout blue.ppm --backdrop '#03c'
holds "a corner is blue" test "$(tail -c 5760 blue.ppm | head -c 3 | od -An -tu1)" = "   0  51 204"
holds "the object is not" test "$(tail -c 5760 blue.ppm | tail -c +$((3 * (20 * 48 + 24) + 1)) | head -c 3 | od -An -tu1)" = \
    "$(awk 'NR > 3' photo.ppm | sed -n $((20 * 48 + 24 + 1))p | awk '{ printf "%4d%4d%4d", $1, $2, $3 }')"
printf 'P3 2 1 255 9 8 7 100 110 120\n' >ground.ppm
run 0 "${cutout[@]}" --cutout ground-cut.ppm --backdrop ground.ppm
holds "a corner is the picture's" test "$(tail -c 5760 ground-cut.ppm | tail -c 3 | od -An -tu1)" = " 100 110 120"
run 1 "${cutout[@]}" --cutout ./ground.ppm --backdrop ground.ppm
has err "'ground.ppm' would be overwritten"
run 0 "${cutout[@]}" --cutout trimmed.ppm --backdrop white --trim --json
json_check
box=$(value trim)
box_is_the_disc() { awk -F '[][, ]+' '{ exit !($2 >= 8 && $2 <= 11 && $3 >= 4 && $3 <= 7 && $4 >= 27 && $4 <= 33 && $5 >= 27 && $5 <= 33) }' <<<"$box"; }
holds "the disc is some 29 pixels wide and high" box_is_the_disc
holds "so is the picture" test "$(sed -n 2p trimmed.ppm)" = "$(awk -F '[][, ]+' '{ print $4, $5 }' <<<"$box")"
run 0 "${cutout[@]}" --cutout trimmed.ppm --backdrop white --trim
has out "  trimmed      to "
awk 'NR == 3 { print 65535; next } NR > 3 { print $1 * 257 + 3, $2 * 257, $3 * 257; next } { print }' photo.ppm >deep.ppm
run 0 segment deep.ppm --scribbles palette.pgm --method grabcut --cutout deep-cut.ppm --backdrop black
holds "16 bits stay 16" test "$(sed -n 3p deep-cut.ppm)" = 65535
holds "to the last bit" test "$(tail -c 11520 deep-cut.ppm | tail -c +$((6 * (20 * 48 + 24) + 1)) | head -c 6 | od -An -tu1 -w6)" = \
    "$(awk 'NR > 3' deep.ppm | sed -n $((20 * 48 + 24 + 1))p | awk '{ for (i = 1; i < 4; i++) printf "%4d%4d", int($i / 256), $i % 256 }')"
run 0 segment photo.ppm --scribbles palette.pgm --confidence sure.pgm --json
json_check
holds "the picture of confidence has a grey for each pixel" test "$(pixels sure.pgm 1920 | wc -l)" = 1920
holds "what is marked is white" test "$(pixels sure.pgm 1920 | sed -n $((20 * 48 + 24 + 1))p)" = 255
holds "a place to look at next" grep -q '"look_next": \[[0-9]*, [0-9]*\]' out
cp sure.pgm sure-before.pgm
run 0 segment photo.ppm --scribbles palette.pgm --confidence sure.pgm -o mask.pgm --threads 3
has out "  look next    at "
holds "the same for every number of threads" cmp sure.pgm sure-before.pgm
run 0 segment photo.ppm --scribbles palette.pgm -o mask-alone.pgm
holds "the mask is that without confidence" cmp mask.pgm mask-alone.pgm
run 1 segment photo.ppm --scribbles palette.pgm --confidence sure.pgm --method grabcut
has err "not GrabCut"
run 2 segment photo.ppm --scribbles palette.pgm --confidence sure.jpg
has err "--confidence takes a name"
run 2 segment photo.ppm photo.ppm -o many --confidence sure.pgm
has err "--confidence is for a single photograph"
for format in webp tiff; do
    "$s3svm" version | grep -qi "$format .*can be read" || continue
    run 0 "${cutout[@]}" --cutout "object.$format" --overlay "look.$format"
    run 0 segment "look.$format" --click 24,20 --method grabcut -o again.pgm # which it reads as well
done
if ! "$s3svm" version | grep -q "built without libtiff"; then
    run 0 segment deep.ppm --scribbles palette.pgm --method grabcut --cutout deep.tif -o mask.tif
    run 0 segment deep.tif --click 24,20 --method grabcut --cutout again.ppm --backdrop black
    holds "16 bits stay 16" test "$(sed -n 3p again.ppm)" = 65535
    run 0 segment photo.ppm --scribbles mask.tif --convention trimap --method grabcut -o mask-again.tif
    same mask.tif mask-again.tif
fi
printf '\0\0\0\30ftypheic\0\0\0\0mif1heic' >photo.heic
run 1 segment photo.heic --click 1,1 --method grabcut -o x.pgm
has err "photo.heic: "
printf 'GIF89a' >photo.gif
run 1 segment photo.gif --click 1,1 --method grabcut -o x.pgm
has err "GIF is not supported: pictures are PNG, JPEG, WebP, TIFF, PGM or PPM; 'convert FILE FILE.png' converts it"
missing x.pgm

# kinds that are not marked
picture P2 48 40 'print m == 1 ? 255 : 128' >object.pgm
run 0 segment photo.ppm --scribbles object.pgm --method grabcut -o object-mask.pgm --json
has err "no background is marked"
is background_assumed true
is background_marks 0
picture P2 48 40 'print m == 2 ? 0 : 128' >background.pgm
run 0 segment photo.ppm --scribbles background.pgm --method grabcut -o background-mask.pgm
has err "no object is marked"

# reduced and refined; threads change nothing
run 0 segment photo.ppm --scribbles palette.pgm --method grabcut -o reduced.pgm --pixels 500 --json
is reduction 2
holds "the reduced mask is the disc" disc_like reduced.pgm
run 0 segment photo.ppm --scribbles palette.pgm --method grabcut -o threads.pgm --pixels 500 --threads 3
same threads.pgm reduced.pgm
has out "at 1/2 of the sides"

# odd photographs
printf 'P3 1 1 255 9 8 7\n' >one.ppm
printf 'P2 1 1 255 255\n' >one.pgm
run 0 segment one.ppm --scribbles one.pgm --convention trimap -o one-mask.pgm --method grabcut
has err "all of the photograph is object"
picture P3 48 40 'print "90 90 90"' >flat.ppm
run 0 segment flat.ppm --scribbles palette.pgm -o flat-mask.pgm --method grabcut
picture P2 48 40 'print d < 14 ? 200 + n : 40 + n' >grey.pgm
run 0 segment grey.pgm --scribbles palette.pgm -o grey-mask.pgm --method grabcut

# what is wrong with the command line
run 2 segment
has err "no PHOTO given"
run 2 segment photo.ppm other.ppm --scribbles palette.pgm -o x.pgm
has err "for several photographs --scribbles must be a folder, not 'palette.pgm'"
run 2 segment photo.ppm --scribbles palette.pgm -o x.pgm --force
has err "--force is for several photographs"
run 2 segment photo.ppm -o x.pgm
has err "no marks given"
run 2 segment photo.ppm --scribbles palette.pgm
has err "nothing to write"
for rectangle in 1,2,3 1,2,3,4,5 a,b,c,d 1,2,0,4 1,2,3,-4 1.5,2,3,4 1e300,0,1,1 ""; do
    run 2 segment photo.ppm "--rect=$rectangle" -o x.pgm
    has err "--rect takes x,y,width,height in whole pixels, not '$rectangle'"
done
run 2 segment photo.ppm --rect 1,1,9,9 --convention trimap -o x.pgm
has err "need --scribbles"
run 2 segment photo.ppm --scribbles palette.pgm --method grabcut -m model.json -o x.pgm
has err "GrabCut has no model"
run 2 segment photo.ppm --scribbles palette.pgm --method crf -o x.pgm
has err "--method takes one of s3svm|amn|grabcut"
run 2 segment photo.ppm --scribbles palette.pgm --convention photoshop -o x.pgm
has err "--convention takes one of"
run 2 segment photo.ppm --scribbles colour.ppm --object red --background red -o x.pgm
has err "must differ in colour"
run 2 segment photo.ppm --scribbles palette.pgm --edge 99 --cutout x.png
has err "--edge takes 0.5 to 16"
run 2 segment photo.ppm --scribbles palette.pgm -o x.jpg
has err "-o takes a name that ends in .png, .pgm, .tif or .tiff, not 'x.jpg'"
run 2 segment photo.ppm --scribbles palette.pgm --cutout x.jpg
has err "--cutout takes a name that ends in .png, .webp, .tif or .tiff, not 'x.jpg'"
run 2 segment photo.ppm --scribbles palette.pgm --overlay x.pgm
has err "--overlay takes a name that ends in .png, .jpg, .jpeg, .webp, .tif, .tiff or .ppm, not 'x.pgm'"
for option in --trim --backdrop=white; do
    run 2 segment photo.ppm --scribbles palette.pgm -o x.png $option
    has err "--trim and --backdrop need --cutout"
done
run 1 segment photo.ppm --scribbles palette.pgm --cutout x.png --backdrop whit
has err "--backdrop takes a colour such as white or #f0f0e8, or a picture, not 'whit'"
run 1 segment photo.ppm --scribbles palette.pgm --cutout x.png --backdrop '#12345'
has err "--backdrop takes a colour"
run 2 segment photo.ppm --scribbles palette.pgm -o x.png --cutout x.png
has err "-o and --cutout cannot both be 'x.png'"
run 2 segment photo.ppm --scribbles palette.pgm -o x.png --cutout ./x.png
has err "-o and --cutout cannot both be './x.png'"
missing x.pgm
missing x.png

# what is wrong with files
run 1 segment none.ppm --scribbles palette.pgm --method grabcut -o x.pgm
has err "cannot open 'none.ppm'"
run 1 segment photo.ppm --scribbles none.png --method grabcut -o x.pgm
has err "cannot open 'none.png'"
picture P2 47 41 'print m' >size.pgm
run 1 segment photo.ppm --scribbles size.pgm --method grabcut -o x.pgm
has err "the scribbles have 47 by 41 pixels, but the photograph has 48 by 40"
picture P2 48 40 'print m == 1' >doubt.pgm
run 1 segment photo.ppm --scribbles doubt.pgm --method grabcut -o x.pgm
has err "--convention says which: palette"
run 1 segment photo.ppm --scribbles colour.ppm --convention palette --method grabcut -o x.pgm
has err "pixels are numbers"
picture P3 48 40 'print m == 1 ? "255 0 255" : m == 2 ? "0 255 255" : "255 255 255"' >other.ppm
run 1 segment photo.ppm --scribbles other.ppm --method grabcut -o x.pgm
has err "there are cyan and magenta strokes over white"
run 0 segment photo.ppm --scribbles other.ppm --object magenta --background cyan --method grabcut -o other-mask.pgm
same other-mask.pgm mask-palette.pgm
run 1 segment photo.ppm --rect 100,100,5,5 --method grabcut -o x.pgm
has err "the rectangle 100,100,5,5 has no pixel of a photograph of 48 by 40"
head -c 200 photo.ppm >cut.ppm
run 1 segment cut.ppm --scribbles palette.pgm --method grabcut -o x.pgm
head -c 100 /dev/urandom >noise.png
run 1 segment photo.ppm --scribbles noise.png --method grabcut -o x.pgm
has err "noise.png"
cp photo.ppm over.ppm
cp palette.pgm over.pgm
run 1 segment over.ppm --scribbles over.pgm --method grabcut -o over.pgm
has err "'over.pgm' would be overwritten"
same over.pgm palette.pgm
run 1 segment over.ppm --scribbles palette.pgm --method grabcut --overlay ./over.ppm
has err "'over.ppm' would be overwritten"
same over.ppm photo.ppm
run 1 segment photo.ppm --scribbles palette.pgm --method grabcut -o no/such/folder.pgm
missing no
run 1 segment photo.ppm --scribbles palette.pgm -m none.json -o x.pgm
has err "none.json"
missing x.pgm

# a model for something else
cat >other.json <<'END'
{ "format": "s3svm model", "version": 1, "made_by": "s3svm 0.1.0", "labels": 2,
  "groups": [ { "name": "pixel", "kind": "free", "size": 1, "weights": [ [0, 0] ] } ], "facts": { "task": "denoise" } }
END
run 1 segment photo.ppm --scribbles palette.pgm -m other.json -o x.pgm
has err 'other.json: a model for the task "denoise", not "segment"'
sed -i 's/"task": "denoise"//' other.json
run 1 segment photo.ppm --scribbles palette.pgm -m other.json -o x.pgm
has err 'other.json: the model has no task'
printf 'nonsense\n' >wrong.json
run 1 segment photo.ppm --scribbles palette.pgm -m wrong.json -o x.pgm
has err "wrong.json"
missing x.pgm

# pictures that need libpng
"$s3svm" segment photo.ppm --scribbles palette.pgm --method grabcut --cutout cutout.png >out 2>err
if grep -q libpng err; then
    echo "without libpng: no cut-outs"
else
    run 0 segment photo.ppm --scribbles palette.pgm --method grabcut --cutout cutout.png --overlay overlay.png -o mask.png --json
    json_check
    is output '"mask.png"'
    is cutout '"cutout.png"'
    is overlay '"overlay.png"'
    if command -v file >/dev/null; then
        holds "an RGBA picture" grep -q "48 x 40, 8-bit/color RGBA" <(file cutout.png)
        holds "an RGB picture" grep -q "48 x 40, 8-bit/color RGB," <(file overlay.png)
        holds "a grey picture" grep -q "48 x 40, 8-bit grayscale" <(file mask.png)
    fi
    run 0 segment photo.ppm --scribbles mask.png --convention trimap --method grabcut -o same.png
    same same.png mask.png
    run 1 segment photo.ppm --scribbles mask.png --method grabcut -o x.png
    has err "all pixels are black or white; --convention says which: trimap"
    missing x.png

    # a folder with its scribbles: the pictures of the single form, whatever the threads
    mkdir -p set/images set/scribbles
    cp photo.ppm set/images/a.ppm
    cp photo.ppm set/images/b.ppm
    cp palette.pgm set/scribbles/a.pgm
    cp colour.ppm set/scribbles/b.ppm
    cp -r set before
    run 0 segment set -o found --method grabcut
    has out "  photographs  2: masks, cutouts and overlays"
    has out "  method       grabcut"
    for name in a b; do
        same found/masks/$name.png mask.png
        same found/cutouts/$name.png cutout.png
        same found/overlays/$name.png overlay.png
    done
    run 0 segment set/images/a.ppm set/images/b.ppm --scribbles set/scribbles -o listed --method grabcut --threads 1
    same listed found
    run 0 segment set/images -o folder --method grabcut --threads 2 --json
    json_check
    is output '"folder"'
    holds "two photographs" test "$(grep -c '"cutout": "folder/cutouts/' out)" = 2
    holds "nothing failed" test "$(grep -c '"failed"' out)" = 0
    same folder found
    shares_add_up() { awk -F '[:,]' '/^  "seconds"/ { all = $2 } /^  "seconds_per_image"/ { each = $2 } END { exit !(all > 0 && (2 * each - all) ^ 2 < 1e-18) }' out; }
    holds "seconds a photograph are those of all by their number" shares_add_up
    run 1 segment set -o found --method grabcut
    has err "'found/masks/a.png' already exists; --force replaces it"
    run 0 segment set -o found --method grabcut --force
    same folder found

    # one bad file costs only itself
    head -c 200 photo.ppm >set/images/bad.ppm
    cp palette.pgm set/scribbles/bad.pgm
    cp photo.ppm set/images/size.ppm
    cp size.pgm set/scribbles/size.pgm
    cp photo.ppm set/images/unmarked.ppm
    run 1 segment set -o most --method grabcut --json
    json_check
    has err "set/images/bad.ppm"
    has err "size.pgm: the scribbles have 47 by 41 pixels"
    has err "'set/images/unmarked.ppm': there are no scribbles 'unmarked.png'"
    has err "2 of 4 pictures failed"
    holds "the failed ones" test "$(grep -c '"error": ' out)" = 2
    same most found
    run 1 segment set -o set --method grabcut --scribbles set/scribbles
    rm -r set/masks set/cutouts set/overlays set/*/bad.p?m set/*/size.p?m set/*/unmarked.p?m
    same set before

    # inputs are never written over
    mkdir -p own/images own/scribbles
    cp mask.png own/images/a.png
    cp overlay.png own/scribbles/a.png
    cp -r own kept
    ln -s images own/masks
    run 1 segment own -o own --method grabcut --force
    has err "would be overwritten"
    rm own/masks
    ln -s scribbles own/overlays
    run 1 segment own -o own --method grabcut --force
    has err "would be overwritten"
    rm -r own/masks own/cutouts own/overlays
    same own kept

    # what makes no sense for many
    run 2 segment set
    has err "no OUTDIR given"
    run 2 segment set -o x --rect 1,2,3,4
    has err "--rect is for a single photograph"
    run 2 segment set -o x --click 1,2
    has err "--click is for a single photograph"
    run 2 segment set -o x --cutout x.png
    has err "--cutout and --overlay are for a single photograph"
    mkdir empty
    run 1 segment empty -o x --method grabcut
    has err "there are no pictures in 'empty'"
    missing x
fi

finish
