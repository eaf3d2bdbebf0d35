// plant.pov - a plant with leaves like swords on a window sill, before a garden out of focus and a second plant.  Hard: thin
// tips, gaps between the leaves, and green behind green.
#include "common.inc"
Daylight(0.02)

camera {
    perspective
    location <-4, 24, -78>
    right x * 4 / 3
    angle 33
    look_at <1.8, 16.6, 0>
    Lens(3.2, <0, 18, -3>)
}

// Light from the garden's side falls on the leaves from behind and from the left; the room is dim.
Panel(<-95, 85, 25>, <0, 15, 0>, 70, 70, rgb <1.0, 0.96, 0.86> * 0.52)
Panel(<55, 60, -90>, <0, 10, 0>, 60, 60, rgb <0.86, 0.92, 1.0> * 0.24)
#if (!Mask) sky_sphere { pigment { gradient y color_map { [0 rgb <0.06, 0.07, 0.06>] [0.25 rgb <0.11, 0.13, 0.14>] [1 rgb <0.09, 0.11, 0.14>] } } } #end

// --- leaves -----------------------------------------------------------------------------------------------------------------

#declare Sheen = finish { diffuse 0.62, 0.10 specular 0.28 roughness 0.018 reflection { 0.006, 0.07 fresnel on } }
#declare Fibre = normal { average normal_map { [1 bozo 0.14 scale <0.10, 3, 0.10>] [1 bumps 0.12 scale 0.7] } }
// Bands across the leaf, ragged along its fibres.
#macro LeafLook(Turn, Tone)
    texture {
        pigment {
            gradient y
            warp { turbulence <0.1, 0.34, 0.1> octaves 5 omega 0.65 }
            scale <0.8, 2.4, 0.8> translate Turn
            color_map {
                [0.00 rgb <0.034, 0.100, 0.024> * Tone] [0.30 rgb <0.040, 0.110, 0.030> * Tone] [0.42 rgb <0.185, 0.305, 0.115> * Tone]
                [0.62 rgb <0.215, 0.345, 0.135> * Tone] [0.74 rgb <0.050, 0.125, 0.035> * Tone] [1.00 rgb <0.034, 0.100, 0.024> * Tone]
            }
        }
        normal { Fibre }
        finish { Sheen }
    }
#end
#macro RimLook(Tone)
    texture { pigment { bozo scale <0.3, 2, 0.3> color_map { [0 rgb <0.40, 0.40, 0.075> * Tone] [1 rgb <0.54, 0.50, 0.14> * Tone] } } normal { Fibre } finish { Sheen } }
#end

// How wide a leaf is at u of its length, relative to its widest.
#declare LeafWide = function(u) { 0.52 + 0.9 * u * (1 - u) * 2.1 - 0.52 * pow(u, 3.5) - 0.02 }
// A leaf of this length and width: twisted, bent outwards by Bend, folded along its middle.  Own says what is the object.
#macro Sword(Long, Wide, Twist, Bend, Phase, Tone, Own)
    #local Across = function(u, v) { (2 * v - 1) * Wide * 0.5 * max(LeafWide(u), 0.01) * (1 + 0.04 * sin(11 * u + Phase)) }
    #local Fold = function(u, v) { 0.32 * Wide * pow(abs(2 * v - 1), 1.6) * LeafWide(u) * (1.1 - 0.7 * u) + 0.05 * Wide * sin(9 * u + 5 * v + Phase) }
    #local Twisted = function(u) { radians(Twist) * u + 0.25 * sin(3 * u + Phase) }
    #local FX = function(u, v) { Across(u, v) * cos(Twisted(u)) - Fold(u, v) * sin(Twisted(u)) + Bend * pow(u, 2.2) + 0.35 * sin(5 * u + Phase) }
    #local FY = function(u, v) { Long * u * (1 - 0.012 * abs(Bend) * u) }
    #local FZ = function(u, v) { Across(u, v) * sin(Twisted(u)) + Fold(u, v) * cos(Twisted(u)) + 0.3 * sin(4 * u + 2 * Phase) }
    #local MX = function(u, v) { FX(u, 0.07 + 0.86 * v) }
    #local MY = function(u, v) { FY(u, 0.07 + 0.86 * v) }
    #local MZ = function(u, v) { FZ(u, 0.07 + 0.86 * v) }
    #local LX = function(u, v) { FX(u, 0.07 * v) }
    #local LY = function(u, v) { FY(u, 0.07 * v) }
    #local LZ = function(u, v) { FZ(u, 0.07 * v) }
    #local RX = function(u, v) { FX(u, 0.93 + 0.07 * v) }
    #local RY = function(u, v) { FY(u, 0.93 + 0.07 * v) }
    #local RZ = function(u, v) { FZ(u, 0.93 + 0.07 * v) }
    #declare Blade = LeafLook(<Phase * 3, Phase * 7, Phase>, Tone)
    #declare Rim = RimLook(Tone)
    #local Middle = object { Surface(MX, MY, MZ, 60, 14) }
    #local Left = object { Surface(LX, LY, LZ, 60, 2) }
    #local Right = object { Surface(RX, RY, RZ, 60, 2) }
    union {
        #if (Own)
            object { Middle Wanted(Blade) } object { Left Wanted(Rim) } object { Right Wanted(Rim) }
        #else
            object { Middle Around(Blade) } object { Left Around(Rim) } object { Right Around(Rim) }
        #end
    }
#end

// --- the plant --------------------------------------------------------------------------------------------------------------

#declare Clay = texture {
    pigment {
        average pigment_map {
            [1 bozo scale 3 turbulence 0.5 color_map { [0 rgb <0.36, 0.135, 0.065>] [0.6 rgb <0.44, 0.18, 0.09>] [1 rgb <0.50, 0.26, 0.16>] }]
            [0.7 granite scale 1.2 color_map { [0 rgb <0.30, 0.11, 0.05>] [0.7 rgb <0.44, 0.18, 0.09>] [1 rgb <0.60, 0.42, 0.32>] }]
            [0.4 gradient y scale 9 turbulence 0.4 color_map { [0 rgb <0.55, 0.40, 0.30>] [0.3 rgb <0.42, 0.17, 0.085>] [1 rgb <0.42, 0.17, 0.085>] }]
        }
    }
    normal { average normal_map { [1 bumps 0.15 scale 0.25] [1 gradient y 0.08 scale 0.4 turbulence 0.1] } }
    finish { diffuse 0.8 specular 0.04 roughness 0.1 }
}
#declare Soil = texture { pigment { granite scale 0.8 color_map { [0 rgb <0.015, 0.010, 0.007>] [1 rgb <0.075, 0.05, 0.032>] } } normal { granite 1.2 scale 1 } finish { diffuse 0.8 } }
#declare PotLine = function {
    spline {
        linear_spline
        0.00, <0.01, 0.0, 0> 0.10, <4.3, 0.0, 0> 0.13, <4.45, 0.12, 0> 0.45, <5.6, 7.5, 0> 0.47, <5.62, 7.62, 0> 0.49, <6.05, 7.70, 0>
        0.52, <6.12, 7.85, 0> 0.66, <6.32, 10.1, 0> 0.69, <6.24, 10.35, 0> 0.72, <5.85, 10.38, 0> 0.74, <5.65, 10.2, 0> 1.00, <5.2, 7.0, 0>
    }
}
#declare PotX = function(u, v) { PotLine(u).x * cos(2 * pi * v) }
#declare PotY = function(u, v) { PotLine(u).y }
#declare PotZ = function(u, v) { PotLine(u).x * sin(2 * pi * v) }
#declare Pot = object { Surface(PotX, PotY, PotZ, 150, 90) }

union {
    object { Pot Wanted(Clay) }
    cylinder { <0, 9.0, 0>, <0, 9.3, 0>, 5.6 Wanted(Soil) }
    object { Sword(24.5, 3.9, 40, 2.6, 0.7, 1.0, 1) rotate y * 10 translate <0.8, 9, 1.5> }
    object { Sword(21.0, 3.6, -50, -4.6, 2.1, 1.1, 1) rotate y * 20 translate <-1.4, 9, 0.6> }
    object { Sword(19.0, 3.7, 30, 6.0, 3.9, 1.0, 1) rotate y * -15 translate <2.2, 9, 0.2> }
    object { Sword(15.5, 3.4, 60, -6.8, 5.2, 0.95, 1) rotate y * -25 translate <-2.7, 9, -0.8> }
    object { Sword(13.0, 3.2, -40, 6.6, 1.3, 1.05, 1) rotate y * 25 translate <3.0, 9, -1.6> }
    object { Sword(17.0, 3.3, -30, -1.2, 4.4, 1.1, 1) rotate y * 70 translate <-0.4, 9, -2.2> }
    object { Sword(9.5, 2.6, 20, -3.2, 6.1, 1.1, 1) rotate y * 10 translate <-1.9, 9, -3.0> }
    rotate y * 12
    translate <0, 1.1, -2>
}

// --- the sill ---------------------------------------------------------------------------------------------------------------

#declare Lacquer = texture { pigment { bozo scale 9 color_map { [0 rgb <0.56, 0.55, 0.51>] [1 rgb <0.61, 0.60, 0.57>] } } normal { bumps 0.06 scale <3, 0.5, 0.5> } finish { diffuse 0.78 specular 0.2 roughness 0.02 reflection { 0, 0.10 fresnel on } } }
#declare Saucer = difference { cone { <0, 0, 0>, 5.6, <0, 1.5, 0>, 6.8 } cone { <0, 0.4, 0>, 5.3, <0, 1.6, 0>, 6.5 } }
object { Saucer translate <0, 0.7, -2> Wanted(Clay) }
object { Rounded(<-100, -3, -14>, <100, 0.7, 20>, 0.6) Around(Lacquer) }
// The window's frame.
box { <-100, 0, 20>, <100, 5.5, 24> Around(Lacquer) }
box { <17.5, 0, 20.5>, <22.5, 120, 24> Around(Lacquer) }
box { <-40, 0, 20.5>, <-36, 120, 24> Around(Lacquer) }
// Wall below the sill, in the shade.
#declare Wall = texture { pigment { rgb <0.34, 0.31, 0.26> } finish { diffuse 0.8 } }
box { <-100, -60, -12>, <100, -3, -10> Around(Wall) }

// A second plant of the same kind further back, a watering can, and pebbles.
union {
    object { Pot Around(Clay) }
    cylinder { <0, 9.0, 0>, <0, 9.3, 0>, 5.6 Around(Soil) }
    object { Sword(17, 3.3, 40, 3.6, 2.7, 0.95, 0) rotate y * 20 translate <1, 9, 1> }
    object { Sword(14, 3.1, -50, -4.6, 3.1, 1.0, 0) rotate y * -10 translate <-1.4, 9, 0.6> }
    object { Sword(12, 3.2, 30, 5.0, 0.9, 1.0, 0) translate <1.8, 9, -1> }
    object { Sword(10, 3, -30, -1.2, 5.4, 0.95, 0) rotate y * 60 translate <-0.4, 9, -2> }
    scale 0.8
    rotate y * 140
    translate <13.6, 0.7, 9.5>
}
#declare Zinc = texture { pigment { bozo scale 2 color_map { [0 rgb <0.16, 0.20, 0.17>] [1 rgb <0.22, 0.26, 0.22>] } } finish { diffuse 0.6 specular 0.4 roughness 0.02 reflection { 0.02, 0.2 fresnel on } } }
union {
    cone { <0, 0, 0>, 4.6, <0, 9, 0>, 3.8 }
    cylinder { <3, 2, 0>, <10.5, 10.5, 0>, 0.65 }
    cone { <10.5, 10.5, 0>, 0.65, <11.6, 11.8, 0>, 1.5 }
    torus { 3.4, 0.4 rotate x * 90 translate <-3.4, 6, 0> }
    rotate y * 160
    translate <-17.5, 0.7, 8>
    Around(Zinc)
}
#declare Slate = texture { pigment { granite color_map { [0 rgb 0.10] [1 rgb 0.26] } } finish { diffuse 0.8 specular 0.1 } }
sphere { 0, 1.3 scale <1.3, 0.6, 1> rotate y * 30 translate <-10.6, 1.35, -7.5> Around(Slate) }
sphere { 0, 0.9 scale <1.2, 0.7, 1> rotate y * 80 translate <-8.2, 1.2, -9.2> Around(Slate) }

// --- the garden, out of focus -----------------------------------------------------------------------------------------------

#declare S = seed(33);
#declare Lawn = texture { pigment { bozo scale 25 color_map { [0 rgb <0.06, 0.12, 0.025>] [1 rgb <0.13, 0.20, 0.05>] } } finish { diffuse 0.8 } }
#declare Sky = texture { pigment { gradient y scale 500 color_map { [0 rgb <0.30, 0.33, 0.34>] [1 rgb <0.24, 0.30, 0.38>] } } finish { diffuse 0 emission 1 } }
plane { y, -60 Around(Lawn) }
box { <-1500, -100, 1500>, <1500, 900, 1510> Around(Sky) }
// Bushes: clumps of leaves, each leaf a dot that the lens spreads; those on top of a clump are in the sun.
#macro Clump(X, Y, Z, R, Tint)
    #for (I, 0, 150)
        #local U = 2 * rand(S) - 1; #local A = 2 * pi * rand(S); #local Q = sqrt(1 - U * U);
        #local N = <Q * cos(A), U, -abs(Q * sin(A))>;
        #local Sunny = 0.30 + 0.9 * pow(max(0, vdot(N, vnormalize(<-0.6, 0.8, -0.3>))), 1.5) + 0.35 * rand(S);
        #declare Bush = texture { pigment { rgb Tint * Sunny * (0.6 + 0.8 * rand(S)) } finish { diffuse 0 emission 1 } }
        sphere { <X, Y, Z> + N * R * (0.75 + 0.3 * rand(S)), (0.05 + 0.09 * rand(S)) * R Around(Bush) }
    #end
    #declare Inside = texture { pigment { rgb Tint * 0.18 } finish { diffuse 0 emission 1 } }
    sphere { <X, Y, Z>, R * 0.86 Around(Inside) }
#end
#for (K, 0, 44)
    #local Deep = 150 + 9 * K;
    #local X = (rand(S) - 0.5) * (1.05 * Deep + 40);
    #local Top = 4 + 0.13 * Deep * (0.75 + 0.5 * sin(X / 70 + 1.2));
    Clump(X, Top - 75 * rand(S), Deep, 14 + 20 * rand(S), <0.075 + 0.06 * rand(S), 0.15 + 0.02 * rand(S), 0.035 + 0.02 * rand(S)>)
#end
// Blossoms and a path.
#declare Rose = texture { pigment { rgb <0.42, 0.05, 0.08> } finish { diffuse 0.8 } }
#declare Daisy = texture { pigment { rgb <0.60, 0.58, 0.50> } finish { diffuse 0.8 } }
#for (I, 0, 40)
    #local X = -95 + 60 * rand(S); #local Y = -40 + 55 * rand(S);
    sphere { <X, Y, 150 + 20 * rand(S)>, 1.6 + 1.4 * rand(S) #if (mod(I, 3) = 0) Around(Daisy) #else Around(Rose) #end }
#end
