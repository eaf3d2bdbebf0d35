// fruit.pov - a pear among apples and another pear, on a board, before a kitchen out of focus.  Pear, apples, wood and brass
// share their colours; the pear touches its neighbours.
#include "common.inc"
Daylight(0.02)

camera {
    perspective
    location <-3, 15.5, -46>
    right x * 4 / 3
    angle 31
    look_at <0.8, 5.0, 0>
    Lens(1.3, <-2, 5, -4.2>)
}

// A large window to the left, a weaker one behind the camera, and a room that gives light back.
Panel(<-75, 62, -38>, <0, 4, 0>, 60, 70, rgb <0.86, 0.93, 1.0> * 0.34)
Panel(<60, 75, -90>, <0, 4, 0>, 40, 40, rgb <1.0, 0.86, 0.66> * 0.10)
#if (!Mask) sky_sphere { pigment { gradient y color_map { [0 rgb <0.060, 0.055, 0.048>] [1 rgb <0.075, 0.075, 0.078>] } } } #end

// --- fruit ------------------------------------------------------------------------------------------------------------------

// Profiles from the bottom to the stem: radius and height.
#declare PearLine = function {
    spline {
        natural_spline
        0.00, <0.02, 0.55, 0> 0.06, <0.75, 0.12, 0> 0.14, <1.9, 0.10, 0> 0.26, <3.15, 0.95, 0> 0.40, <3.75, 2.75, 0>
        0.54, <3.45, 4.75, 0> 0.66, <2.55, 6.45, 0> 0.78, <1.82, 7.95, 0> 0.90, <1.38, 9.15, 0> 0.965, <0.75, 9.68, 0> 1.00, <0.05, 9.62, 0>
    }
}
#declare AppleLine = function {
    spline {
        natural_spline
        0.00, <0.02, 1.15, 0> 0.08, <0.75, 0.60, 0> 0.18, <1.75, 0.18, 0> 0.32, <3.0, 1.15, 0> 0.48, <3.75, 3.30, 0>
        0.62, <3.65, 5.10, 0> 0.76, <2.85, 6.45, 0> 0.87, <1.65, 6.85, 0> 0.94, <0.80, 6.35, 0> 1.00, <0.03, 5.45, 0>
    }
}
#declare PearWide = function(u, v) { PearLine(u).x * (1 + 0.03 * sin(2 * pi * v + 0.6) + 0.02 * sin(4 * pi * v + 2 + 3 * u) + 0.012 * sin(6 * pi * v + 5 * u)) }
#declare PearX = function(u, v) { PearWide(u, v) * cos(2 * pi * v) + 0.55 * pow(PearLine(u).y / 9.6, 2.2) }
#declare PearY = function(u, v) { PearLine(u).y * (1 + 0.012 * sin(2 * pi * v + 1)) }
#declare PearZ = function(u, v) { PearWide(u, v) * sin(2 * pi * v) - 0.2 * pow(PearLine(u).y / 9.6, 2) }
#declare Pear = object { Surface(PearX, PearY, PearZ, 90, 120) }

#declare AppleWide = function(u, v) { AppleLine(u).x * (1 + 0.025 * sin(2 * pi * v) + 0.022 * cos(10 * pi * v) * (1 - u) + 0.012 * sin(4 * pi * v + 4 * u)) }
#declare AppleX = function(u, v) { AppleWide(u, v) * cos(2 * pi * v) }
#declare AppleY = function(u, v) { AppleLine(u).y + 0.12 * sin(2 * pi * v) * u - 0.16 * cos(10 * pi * v) * pow(1 - u, 6) }
#declare AppleZ = function(u, v) { AppleWide(u, v) * sin(2 * pi * v) }
#declare Apple = object { Surface(AppleX, AppleY, AppleZ, 70, 120) }

#declare Gloss = finish { diffuse 0.70 specular 0.32 roughness 0.006 reflection { 0.012, 0.10 fresnel on } conserve_energy }
#declare Wax = normal { average normal_map { [1 bumps 0.06 scale 0.9] [1 bumps 0.05 scale 0.12] [0.6 granite 0.025 scale 0.5] } }

// Skin of a pear: green below yellow, a blush on its sunny side, russet at both ends, and small brown dots.
#macro PearSkin(Sun, Turn)
    texture {
        pigment {
            bozo scale <1.6, 2.8, 1.6> turbulence 0.4 translate Turn
            color_map { [0.1 Screen(146, 150, 40)] [0.4 Screen(178, 170, 52)] [0.7 Screen(200, 182, 66)] [1 Screen(212, 188, 78)] }
        }
        normal { Wax }
        finish { Gloss }
    }
    texture {
        pigment {
            gradient Sun turbulence 0.25 translate Sun * 0.5 scale 9
            color_map { [0 rgbt <0.50, 0.10, 0.02, 1>] [0.52 rgbt <0.50, 0.12, 0.02, 1>] [0.80 rgbt <0.50, 0.11, 0.025, 0.55>] [1 rgbt <0.42, 0.06, 0.02, 0.25>] }
            translate y * 4
        }
        normal { Wax }
        finish { Gloss }
    }
    texture {
        pigment {
            gradient y turbulence 0.10 octaves 4 scale 10
            color_map { [0 rgbt <0.20, 0.10, 0.03, 0.35>] [0.07 rgbt <0.22, 0.11, 0.03, 1>] [0.86 rgbt <0.22, 0.11, 0.03, 1>] [0.94 rgbt <0.22, 0.11, 0.03, 0.45>] [1 rgbt <0.20, 0.10, 0.03, 0.2>] }
        }
        normal { Wax }
        finish { Gloss }
    }
    texture {
        pigment {
            crackle form <1, 0, 0> metric 2 scale 0.36 translate Turn
            color_map { [0 rgbt <0.12, 0.07, 0.02, 0.15>] [0.10 rgbt <0.14, 0.08, 0.02, 0.35>] [0.16 rgbt <0.14, 0.08, 0.02, 1>] [1 rgbt 1] }
        }
        normal { Wax }
        finish { Gloss }
    }
#end

// Skin of an apple: streaks of Red from the stem over Ground.
#macro AppleSkin(Ground, Red, Much, Turn)
    texture {
        pigment { bozo scale 2.2 turbulence 0.4 translate Turn color_map { [0.1 Ground * 0.8] [0.6 Ground] [1 Ground * 1.12] } }
        normal { Wax }
        finish { Gloss }
    }
    texture {
        pigment {
            pigment_pattern {
                average pigment_map {
                    [1.0 bozo scale <1.5, 3, 1.5> turbulence 0.5 translate Turn]
                    [0.8 radial frequency 26 turbulence 0.12 octaves 3 rotate y * Turn.x * 30]
                    [1.1 gradient x scale 9 translate x * -4.5 rotate y * Turn.y * 40]
                }
            }
            color_map { [0 Red transmit 1] [max(0, 0.72 - 0.6 * Much) Red transmit 1] [min(1, 1.02 - 0.6 * Much) Red transmit 0.15] [1 Red transmit 0.05] }
        }
        normal { Wax }
        finish { Gloss }
    }
    texture {
        pigment {
            crackle form <1, 0, 0> scale 0.55 translate Turn * 3
            color_map { [0 rgbt <0.62, 0.55, 0.30, 0.25>] [0.06 rgbt <0.62, 0.55, 0.30, 0.5>] [0.10 rgbt <0.6, 0.5, 0.3, 1>] [1 rgbt 1] }
        }
        normal { Wax }
        finish { Gloss }
    }
    texture { // russet in the hollow of the stem
        pigment {
            cylindrical turbulence 0.25 scale <2.4, 1, 2.4>
            color_map { [0 rgbt <0.20, 0.13, 0.04, 1>] [0.25 rgbt <0.22, 0.15, 0.05, 1>] [0.75 rgbt <0.22, 0.15, 0.05, 0.35>] [1 rgbt <0.14, 0.08, 0.03, 0.1>] }
        }
        normal { Wax }
        finish { Gloss }
    }
#end

#declare Twig = texture {
    pigment { bozo scale <0.12, 0.5, 0.12> color_map { [0 rgb <0.05, 0.028, 0.013>] [1 rgb <0.16, 0.10, 0.05>] } }
    normal { wrinkles 0.7 scale 0.15 }
    finish { diffuse 0.75 specular 0.12 roughness 0.05 }
}
// A stem from P, first along Up, bent by Bend.
#macro Stem(P, Up, Bend, Thick)
    union {
        #local Q = P;
        #for (I, 1, 12)
            #local T = I / 12;
            #local N = P + Up * T + Bend * T * T;
            #local R = Thick * (1 - 0.25 * T + 0.9 * pow(T, 8));
            cone { Q, Thick * (1 - 0.25 * (T - 1 / 12)), N, R }
            sphere { N, R }
            #local Q = N;
        #end
    }
#end

#declare ThePearSkin = PearSkin(<0.8, 0.25, -0.45>, <3, 1, 7>)
#declare OtherPearSkin = PearSkin(<-0.5, 0.3, -0.6>, <11, 5, 2>)
#declare GreenSkin = AppleSkin(rgb <0.40, 0.42, 0.055>, rgb <0.46, 0.13, 0.03>, 0.12, <2, 5, 1>)
#declare RedSkin = AppleSkin(rgb <0.50, 0.38, 0.06>, rgb <0.36, 0.020, 0.018>, 0.78, <7, 1, 3>)
#declare GoldSkin = AppleSkin(rgb <0.52, 0.42, 0.085>, rgb <0.50, 0.12, 0.03>, 0.25, <4, 2, 9>)

// The pear.
union {
    object { Pear Wanted(ThePearSkin) }
    object { Stem(<0.55, 9.45, -0.2>, <0.15, 1.7, 0>, <0.75, 0.15, 0.1>, 0.19) Wanted(Twig) }
    rotate <0, 200, 0>
    rotate z * 3
    translate <-2.6, 1.6, -4.2>
}

// Its neighbours.
union {
    object { Apple Around(GreenSkin) }
    object { Stem(<0, 5.4, 0>, <0.1, 1.5, 0>, <0.4, 0.2, 0.1>, 0.12) Around(Twig) }
    rotate <-8, 30, 6> translate <4.3, 1.6, -1.4>
}
union {
    object { Apple Around(GoldSkin) }
    object { Stem(<0, 5.4, 0>, <-0.1, 1.7, 0>, <-0.3, 0.1, 0.3>, 0.12) Around(Twig) }
    scale 0.97 rotate <10, 100, -8> translate <-8.6, 1.6, 1.2>
}
union {
    object { Apple Around(RedSkin) }
    object { Stem(<0, 5.4, 0>, <0.1, 1.4, 0>, <0.3, 0.1, -0.2>, 0.12) Around(Twig) }
    scale 1.04 rotate <6, 190, 10> translate <0.7, 1.6, 4.6>
}
union {
    object { Pear Around(OtherPearSkin) }
    object { Stem(<0.55, 9.45, -0.2>, <0.1, 1.5, 0>, <-0.5, 0.2, 0.3>, 0.19) Around(Twig) }
    rotate y * 70 rotate z * 96 rotate y * -28 translate <14.2, 5.1, 1.5>
}

// Hazelnuts.
#declare Nut = texture {
    pigment { gradient y turbulence 0.1 color_map { [0 rgb <0.40, 0.28, 0.17>] [0.20 rgb <0.37, 0.22, 0.10>] [0.34 rgb <0.31, 0.14, 0.05>] [1 rgb <0.22, 0.085, 0.03>] } translate y * -0.5 scale 2 }
    normal { wood 0.25 turbulence 0.1 rotate x * 90 scale 0.12 }
    finish { diffuse 0.75 specular 0.25 roughness 0.03 }
}
#macro Hazel(X, Z, A, B) sphere { 0, 0.85 scale <1, 1.12, 0.94> rotate <A, B, 0> translate <X, 2.4, Z> Around(Nut) } #end
Hazel(2.6, -8.0, 50, 20)
Hazel(4.7, -8.9, 35, 110)
Hazel(-9.8, -5.0, 30, 330)

// --- table and board --------------------------------------------------------------------------------------------------------

#declare Oak = Wood(rgb <0.17, 0.085, 0.032>, rgb <0.34, 0.19, 0.075>, rgb <0.47, 0.29, 0.13>, <3, 7, 1>)
#declare Walnut = Wood(rgb <0.050, 0.024, 0.011>, rgb <0.12, 0.060, 0.026>, rgb <0.20, 0.105, 0.05>, <1, 2, 9>)

object { Rounded(<-17, 0, -10.5>, <22, 1.6, 13>, 0.45) Around(Oak) rotate y * -6 }
#for (I, -3, 5)
    #declare Plank = texture { Walnut translate <I * 31, I * 17, I * 5> }
    box { <-120, -3, 0>, <120, 0, 13.9> translate <0, -0.02 * mod(I + 9, 2), I * 14 - 12> Around(Plank) }
#end

// A linen cloth on the right, thrown down.
#declare ClothX = function(u, v) { 16 + 15 * u + 1.5 * v + 0.8 * sin(7 * v) }
#declare ClothY = function(u, v) { 0.25 + 1.0 * pow(Noise(u * 2.4, 1, v * 2.4), 2) * (0.6 + u) + 0.5 * abs(sin(9 * v + 4 * u + 2)) * u }
#declare ClothZ = function(u, v) { -24 + 20 * v - 4 * u + 0.9 * sin(6 * u) }
#declare Linen = texture {
    pigment {
        gradient z scale 3.6 turbulence 0.03
        color_map { [0 Screen(214, 206, 190)] [0.62 Screen(216, 208, 192)] [0.64 Screen(72, 92, 124)] [0.80 Screen(70, 90, 122)] [0.82 Screen(216, 208, 192)] [1 Screen(214, 206, 190)] }
        rotate y * 14
    }
    normal { average normal_map { [1 gradient x 0.5 scale 0.12] [1 gradient z 0.5 scale 0.12] [1 bumps 0.3 scale 0.4] } }
    finish { diffuse 0.8 }
}
object { Surface(ClothX, ClothY, ClothZ, 60, 60) Around(Linen) }

// --- the kitchen, out of focus ----------------------------------------------------------------------------------------------

#declare Tile = texture {
    pigment { brick rgb <0.30, 0.29, 0.27>, rgb <0.50, 0.50, 0.46> brick_size <15, 7.5, 8> mortar 0.5 }
    normal { bumps 0.08 scale 6 }
    finish { diffuse 0.7 specular 0.5 roughness 0.01 reflection { 0.01, 0.2 fresnel on } }
}
#declare Enamel = finish { diffuse 0.7 specular 0.6 roughness 0.008 reflection { 0.02, 0.25 fresnel on } }
#declare Plaster = texture { pigment { bozo scale 20 color_map { [0 rgb <0.44, 0.40, 0.33>] [1 rgb <0.50, 0.46, 0.38>] } } finish { diffuse 0.8 } }
#declare Teak = texture { Oak scale 3 }
box { <-150, -40, 86>, <150, 34, 88> Around(Tile) }
box { <-150, 34, 86>, <150, 90, 88> Around(Plaster) }
box { <-150, -6, 52>, <150, -3, 86> Around(Teak) }

#macro Jar(X, Z, R, H, Tint)
    #declare JarLook = texture { pigment { rgb Tint } finish { Enamel } }
    #declare LidLook = texture { pigment { rgb <0.16, 0.09, 0.04> } finish { diffuse 0.7 specular 0.2 } }
    union {
        cylinder { <X, -3, Z>, <X, H - 3, Z>, R }
        torus { R - 0.8, 0.8 translate <X, H - 3, Z> }
        Around(JarLook)
    }
    cylinder { <X, H - 3, Z>, <X, H - 1, Z>, R * 0.92 Around(LidLook) }
#end
Jar(-34, 66, 5.5, 17, <0.58, 0.55, 0.48>)
Jar(-21, 70, 4.5, 13, <0.52, 0.34, 0.10>)
Jar(-46, 68, 6, 22, <0.13, 0.20, 0.24>)
Jar(34, 68, 5, 15, <0.40, 0.10, 0.05>)

// A copper pot, a bottle of oil, and wooden spoons in a pot.
#declare Copper = texture { pigment { rgb <0.62, 0.30, 0.16> } normal { bumps 0.05 scale 4 } finish { diffuse 0.35 specular 0.8 roughness 0.02 reflection { rgb <0.5, 0.28, 0.18> } } }
union {
    cylinder { <10, -3, 70>, <10, 9, 70>, 11 }
    torus { 11, 0.5 translate <10, 9, 70> }
    torus { 3, 0.6 rotate x * 90 scale <1, 0.7, 1> translate <-2.5, 6, 70> }
    Around(Copper)
}
#declare Oil = texture { pigment { rgb <0.22, 0.21, 0.025> } finish { Enamel } }
union {
    cylinder { <-9, -3, 74>, <-9, 14, 74>, 3.4 }
    cone { <-9, 14, 74>, 3.4, <-9, 20, 74>, 1.2 }
    cylinder { <-9, 20, 74>, <-9, 27, 74>, 1.2 }
    Around(Oil)
}
#declare Stoneware = texture { pigment { rgb <0.36, 0.42, 0.40> } finish { Enamel } }
#declare Spoon = texture { pigment { rgb <0.46, 0.27, 0.11> } finish { diffuse 0.75 } }
cylinder { <48, -3, 66>, <48, 12, 66>, 6.5 Around(Stoneware) }
#for (I, 0, 5)
    union {
        cylinder { <0, 0, 0>, <0, 22, 0>, 0.8 }
        sphere { <0, 24, 0>, 1 scale <2.4, 1, 0.8> scale <1, 1, 1> }
        rotate z * (I * 9 - 24) rotate y * I * 50 translate <48, 3, 66>
        Around(Spoon)
    }
#end
// A shelf with bowls and books above.
box { <-62, 31, 72>, <30, 33, 86> Around(Teak) }
#declare Blue = texture { pigment { rgb <0.10, 0.17, 0.30> } finish { Enamel } }
#for (I, 0, 3) torus { 6 - 0.15 * I, 1.6 translate <-42, 34.6 + 2.2 * I, 78> Around(Stoneware) } #end
#for (I, 0, 2) torus { 4.5, 1.4 translate <-22, 34.4 + 2.2 * I, 78> Around(Blue) } #end
