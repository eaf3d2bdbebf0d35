// toy.pov - a wooden elephant on a wooden floor, with building blocks.  Toy, floor and blocks are of the same woods; the floor
// shows between the legs.
#include "common.inc"
Daylight(0.02)

camera {
    perspective
    location <-8, 14.5, -52>
    right x * 4 / 3
    angle 30
    look_at <0.2, 6.6, 0>
    Lens(1.1, <-2, 6, -3>)
}

Panel(<70, 80, -45>, <0, 4, 0>, 60, 60, rgb <0.90, 0.95, 1.0> * 0.34)
Panel(<-80, 60, -60>, <0, 4, 0>, 40, 40, rgb <1.0, 0.84, 0.62> * 0.10)
#if (!Mask) sky_sphere { pigment { gradient y color_map { [0 rgb <0.055, 0.052, 0.048>] [1 rgb <0.075, 0.075, 0.078>] } } } #end

#declare Beech = Wood(rgb <0.30, 0.16, 0.07>, rgb <0.47, 0.28, 0.13>, rgb <0.58, 0.38, 0.20>, <5, 3, 2>)
#declare Smoked = Wood(rgb <0.10, 0.045, 0.02>, rgb <0.19, 0.095, 0.042>, rgb <0.27, 0.15, 0.07>, <8, 1, 4>)

// --- the elephant, its head to the left -------------------------------------------------------------------------------------

// A part of a blob that ends at R where nothing is near.
#macro Lump(P, R) sphere { P, R / 0.769, 3 } #end
#macro Bone(P, Q, R) cylinder { P, Q, R / 0.769, 3 } #end

// The middle of the trunk, from the forehead to its tip, and its radius.
#declare TrunkLine = function {
    spline {
        natural_spline
        0.0, <-7.9, 10.2, 1.75> 0.2, <-9.7, 8.7, 1.42> 0.4, <-10.5, 6.4, 1.15> 0.6, <-11.0, 4.2, 0.98> 0.75, <-12.0, 2.9, 0.90> 0.88, <-13.4, 2.9, 0.84> 1.0, <-14.3, 4.0, 0.78>
    }
}
#declare Carved = intersection {
    blob {
        threshold 0.5
        sphere { 0, 1 / 0.769, 3 scale <5.8, 3.5, 3.4> translate <0.8, 9.3, 0> }
        sphere { 0, 1 / 0.769, 3 scale <4.0, 3.4, 3.3> translate <3.4, 9.0, 0> }
        sphere { 0, 1 / 0.769, 3 scale <2.9, 3.1, 2.7> translate <-6.3, 11.3, 0> }
        Bone(<-3.0, 8, -2.0>, <-3.5, -2, -2.2>, 1.30)
        Bone(<-2.2, 8, 2.0>, <-1.2, -2, 2.2>, 1.30)
        Bone(<5.2, 8, -2.0>, <4.6, -2, -2.2>, 1.35)
        Bone(<5.6, 8, 2.0>, <6.8, -2, 2.2>, 1.35)
        #for (I, 0, 44)
            #local P = TrunkLine(I / 44);
            sphere { <P.x, P.y, 0>, P.z / 0.60, 0.62 }
        #end
    }
    plane { -y, 0 }
    bounded_by { box { <-18, -0.1, -8>, <12, 18, 8> } }
}
#declare Ear = union {
    sphere { 0, 1 scale <1.9, 2.5, 0.42> }
    sphere { 0, 1 scale <1.4, 1.6, 0.40> translate <0.4, -1.6, 0> }
}
#declare Bead = texture { pigment { rgb 0.012 } finish { diffuse 0.6 specular 0.9 roughness 0.004 reflection { 0.02, 0.3 fresnel on } } }
#declare Cord = texture { pigment { rgb <0.33, 0.24, 0.14> } normal { wood 0.6 rotate x * 50 scale 0.12 } finish { diffuse 0.75 } }

union {
    object { Carved Wanted(Beech) }
    object { Ear rotate z * -14 rotate y * 24 translate <-4.7, 11.2, -3.0> Wanted(Smoked) }
    object { Ear rotate z * -14 rotate y * -24 translate <-4.7, 11.2, 3.0> Wanted(Smoked) }
    sphere { <-8.0, 12.2, -2.05>, 0.32 Wanted(Bead) }
    sphere { <-8.0, 12.2, 2.05>, 0.32 Wanted(Bead) }
    union {
        #for (I, 0, 20)
            #local T = I / 20;
            sphere { <6.9 + 2.1 * sqrt(T), 10.6 - 5.2 * T * T + 0.3 * T, 0.5 * sin(3 * T)>, 0.24 }
        #end
        sphere { <9.05, 5.5, 0>, 0.48 scale <1, 1, 1> }
        Wanted(Cord)
    }
    rotate y * 20
    translate <1.6, 0, -1>
}

// --- the floor --------------------------------------------------------------------------------------------------------------

#declare S = seed(4);
#for (I, -4, 16)
    #local Start = -150 + 60 * rand(S);
    #while (Start < 150)
        #local Long = 70 + 50 * rand(S);
        #local Tone = 0.82 + 0.36 * rand(S);
        #declare Plank = Wood(rgb <0.24, 0.125, 0.055> * Tone, rgb <0.42, 0.245, 0.115> * Tone, rgb <0.53, 0.335, 0.17> * Tone, <90 * rand(S), 40 * rand(S), 40 * rand(S)>)
        object {
            Rounded(<0, -2, 0>, <Long - 0.1, 0, 9.9>, 0.12)
            translate <Start, 0, 0> + z * (I * 10 - 10)
            rotate y * -17
            Around(Plank)
        }
        #local Start = Start + Long;
    #end
#end

// --- building blocks --------------------------------------------------------------------------------------------------------

#macro Paint(C) texture { pigment { bozo scale 2 color_map { [0 rgb C * 0.93] [1 rgb C] } } normal { bozo 0.10 scale <1.5, 0.06, 0.06> } finish { diffuse 0.75 specular 0.25 roughness 0.02 reflection { 0, 0.08 fresnel on } } } #end
#declare Red = Paint(<0.46, 0.035, 0.025>)
#declare Blue = Paint(<0.03, 0.12, 0.34>)
#declare Yellow = Paint(<0.66, 0.42, 0.03>)
#declare Green = Paint(<0.05, 0.24, 0.08>)
#declare Cube = object { Rounded(<-2, 0, -2>, <2, 4, 2>, 0.22) }
#declare Brick = object { Rounded(<-4, 0, -2>, <4, 4, 2>, 0.22) }
#declare Arch = difference {
    object { Rounded(<-4.5, 0, -2>, <4.5, 5, 2>, 0.22) }
    cylinder { <0, 0, -3>, <0, 0, 3>, 2.6 }
}
#declare Beech2 = texture { Beech rotate y * 90 translate <3, 1, 2> }
#declare Beech3 = texture { Beech translate <30, 10, 20> }
object { Brick rotate y * 20 translate <13.0, 0, 9> Around(Beech3) }
object { Cube rotate y * 50 translate <13.4, 4, 9.3> Around(Red) }
object { Arch rotate y * -12 translate <-1, 0, 15> Around(Beech2) }
object { Cube rotate y * 8 translate <-12.5, 0, 11> Around(Yellow) }
object { Cube rotate y * 33 translate <-17.2, 0, 13> Around(Beech3) }
cylinder { <-12.3, 4, 11>, <-12.3, 8.5, 11>, 1.7 Around(Beech2) }
object { Cube rotate y * 38 translate <15.0, 0, -3.4> Around(Blue) }
object { Brick rotate y * 70 translate <22, 0, 24> Around(Green) }
cylinder { <-16.4, 0, -5.0>, <-16.4, 3.2, -5.0>, 1.7 rotate y * 3 Around(Red) }
cylinder { <-2, 0, 0>, <2, 0, 0>, 1.6 rotate y * 50 translate <6.5, 1.6, 22> Around(Beech3) }

// --- the room, out of focus -------------------------------------------------------------------------------------------------

#declare Wall = texture { pigment { bozo scale 30 color_map { [0 rgb <0.40, 0.42, 0.40>] [1 rgb <0.46, 0.47, 0.45>] } } finish { diffuse 0.8 } }
#declare White = texture { pigment { rgb 0.62 } finish { diffuse 0.8 specular 0.2 roughness 0.02 } }
#declare Felt = texture { pigment { bozo scale 1.2 color_map { [0 rgb <0.12, 0.17, 0.22>] [1 rgb <0.18, 0.24, 0.30>] } } normal { bumps 0.8 scale 0.5 } finish { diffuse 0.85 } }
#declare Wicker = texture { pigment { leopard scale <0.5, 0.35, 0.5> color_map { [0 rgb <0.12, 0.065, 0.025>] [0.5 rgb <0.40, 0.25, 0.11>] [1 rgb <0.52, 0.36, 0.17>] } } normal { leopard 0.8 scale <0.5, 0.35, 0.5> } finish { diffuse 0.8 } }
box { <-300, -2, 128>, <300, 200, 130> rotate y * -6 Around(Wall) }
box { <-300, 0, 126>, <300, 9, 128> rotate y * -6 Around(White) }
cylinder { <34, 0, 70>, <34, 0.9, 70>, 46 Around(Felt) }
union { cone { <-42, 0, 82>, 16, <-42, 26, 82>, 20 open } torus { 20, 1.4 translate <-42, 26, 82> } Around(Wicker) }
sphere { <-46, 28, 80>, 8 Around(Red) }
sphere { <-36, 29, 78>, 7 Around(Felt) }
sphere { <-42, 30, 90>, 8 Around(Yellow) }
// A chair's legs and a ball.
cylinder { <38, 0, 96>, <41, 60, 100>, 2 Around(Beech3) }
cylinder { <66, 0, 92>, <62, 60, 97>, 2 Around(Beech3) }
sphere { <28, 7.9, 66>, 7 Around(Yellow) }
