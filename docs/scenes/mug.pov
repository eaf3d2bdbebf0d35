// mug.pov - a white mug on an open book, before other books.  Mug and paper are of the same white; books show through the handle.
#include "common.inc"
Daylight(0.02)

camera {
    perspective
    location <7, 25, -47>
    right x * 4 / 3
    angle 27
    look_at <1.2, 5.6, 1>
    Lens(1.0, <0, 6, -3>)
}

Panel(<-78, 70, -30>, <0, 4, 0>, 55, 60, rgb <0.95, 0.97, 1.0> * 0.30)
Panel(<60, 55, -50>, <0, 4, 0>, 22, 22, rgb <1.0, 0.80, 0.54> * 0.13)
#if (!Mask) sky_sphere { pigment { gradient y color_map { [0 rgb <0.05, 0.047, 0.042>] [1 rgb <0.07, 0.07, 0.072>] } } } #end

// --- the mug ----------------------------------------------------------------------------------------------------------------

#declare Glaze = texture {
    pigment { bozo scale 3 color_map { [0 Screen(226, 219, 204)] [1 Screen(233, 227, 214)] } }
    normal { bumps 0.02 scale 2.5 }
    finish { diffuse 0.78 specular 0.5 roughness 0.004 reflection { 0.015, 0.22 fresnel on } conserve_energy }
}
#declare Coffee = texture { pigment { rgb <0.035, 0.014, 0.006> } finish { diffuse 0.6 specular 0.5 roughness 0.003 reflection { 0.03, 0.35 fresnel on } } }

// The wall of the mug, from the middle of its floor outside, up, over the rim and down again inside.
#declare MugLine = function {
    spline {
        natural_spline
        0.00, <0.01, 0.25, 0> 0.10, <2.4, 0.22, 0> 0.15, <2.75, 0.05, 0> 0.19, <3.3, 0.35, 0> 0.26, <3.85, 1.5, 0> 0.36, <4.12, 3.6, 0>
        0.48, <4.18, 6.4, 0> 0.58, <4.16, 8.6, 0> 0.635, <4.17, 9.45, 0> 0.655, <4.02, 9.62, 0> 0.675, <3.86, 9.45, 0>
        0.73, <3.84, 8.4, 0> 0.82, <3.86, 5.5, 0> 0.92, <3.6, 1.7, 0> 0.96, <2.6, 0.8, 0> 1.00, <0.01, 0.7, 0>
    }
}
#declare MugX = function(u, v) { MugLine(u).x * cos(2 * pi * v) }
#declare MugY = function(u, v) { MugLine(u).y }
#declare MugZ = function(u, v) { MugLine(u).x * sin(2 * pi * v) }
// The handle: an oval tube, thicker where it meets the wall.
#declare HandleX = function(u, v) { 3.75 + 3.7 * sin(pi * u) * (1 + 0.18 * sin(2 * pi * u)) + (0.46 + 0.30 * pow(abs(2 * u - 1), 6)) * cos(2 * pi * v) * sin(pi * (0.12 + 0.76 * u)) }
#declare HandleY = function(u, v) { 1.9 + 6.2 * u + 0.9 * sin(2 * pi * u) * -0.55 - (0.46 + 0.30 * pow(abs(2 * u - 1), 6)) * cos(2 * pi * v) * cos(pi * (0.12 + 0.76 * u)) }
#declare HandleZ = function(u, v) { (0.72 + 0.25 * pow(abs(2 * u - 1), 6)) * sin(2 * pi * v) }
#declare Band = texture { pigment { rgb <0.03, 0.085, 0.20> } finish { diffuse 0.7 specular 0.5 roughness 0.004 reflection { 0.015, 0.2 fresnel on } } }

union {
    object { Surface(MugX, MugY, MugZ, 120, 96) Wanted(Glaze) }
    object { Surface(HandleX, HandleY, HandleZ, 60, 40) Wanted(Glaze) }
    cylinder { <0, 8.05, 0>, <0, 8.1, 0>, 3.86 Wanted(Coffee) }
    // A thin painted ring below the rim.
    torus { 4.04, 0.14 translate y * 9.48 Wanted(Band) }
    rotate y * -28
    translate <-0.6, 1.75, -2.5>
}

// --- the open book ----------------------------------------------------------------------------------------------------------

#declare Leaf = texture {
    pigment { bozo scale 6 color_map { [0 Screen(226, 217, 198)] [1 Screen(236, 229, 212)] } }
    normal { bumps 0.03 scale 3 }
    finish { diffuse 0.8 }
}
#declare Ink = texture { pigment { rgb 0.09 } finish { diffuse 0.7 } }
#declare S = seed(21);
// Pages rise from the outer edge and dive into the fold.
#declare PageHigh = function(x) { 1.75 - 0.9 * exp(-abs(x) * 1.3) - 0.0022 * x * x }
#declare PageX = function(u, v) { -16.5 + 33 * u }
#declare PageY = function(u, v) { PageHigh(-16.5 + 33 * u) }
#declare PageZ = function(u, v) { -12 + 23.5 * v }
#declare Printed = union {
    #for (Page, -1, 1, 2)
        #for (Row, 0, 24)
            #local X = (Page < 0 ? -14.6 : 2.0);
            #local End = X + 12.4 * (mod(Row, 7) = 6 ? 0.25 + 0.6 * rand(S) : 1);
            #if (mod(Row, 7) = 0) #local X = X + 0.8; #end
            #while (X < End)
                #local W = 0.25 + 1.0 * rand(S);
                #local Z = 9.2 - Row * 0.78;
                #local Y = PageHigh(X + W / 2) + 0.012;
                #for (Letter, 0, int(W / 0.17))
                    #local A = X + Letter * 0.17;
                    box { <A, PageHigh(A) - 0.01, Z - 0.09 - 0.07 * (rand(S) < 0.15)>, <A + 0.08, PageHigh(A) + 0.012, Z + 0.09 + 0.10 * (rand(S) < 0.3)> }
                #end
                #local X = X + W + 0.32;
            #end
        #end
    #end
}
#declare Edges = texture { pigment { gradient y scale 0.055 turbulence 0.02 color_map { [0 Screen(200, 188, 164)] [0.5 Screen(232, 224, 206)] [1 Screen(196, 184, 160)] } } finish { diffuse 0.8 } }
#declare Cover = texture { pigment { rgb <0.20, 0.035, 0.03> } normal { bumps 0.2 scale 0.1 } finish { diffuse 0.75 specular 0.15 roughness 0.04 } }
union {
    object { Surface(PageX, PageY, PageZ, 160, 4) Around(Leaf) }
    object { Printed Around(Ink) }
    prism {
        linear_spline -12, 11.5, 43
        #for (I, 0, 40) , <-16.5 + 33 * I / 40, PageHigh(-16.5 + 33 * I / 40) - 0.012> #end
        , <16.5, 0.3>, <-16.5, 0.3>
        rotate x * -90 scale <1, 1, -1> translate z * 0
        Around(Edges)
    }
    box { <-17, 0, -12.5>, <17, 0.3, 12> Around(Cover) }
    rotate y * 9
    translate <4.6, 0, -1.0>
}

// --- the table and other books ----------------------------------------------------------------------------------------------

#declare Ash = Wood(rgb <0.22, 0.13, 0.07>, rgb <0.36, 0.24, 0.14>, rgb <0.46, 0.33, 0.21>, <2, 6, 3>)
box { <-150, -4, -60>, <150, 0, 34> Around(Ash) }

// A book that stands, its spine to the camera: at X, so thick, high and deep.
#macro Standing(X, Thick, High, Deep, C, Gold, Title)
    #declare Cloth = texture { pigment { bozo scale 1.5 color_map { [0 rgb C * 0.9] [1 rgb C] } } normal { average normal_map { [1 gradient x 0.3 scale 0.07] [1 gradient y 0.3 scale 0.07] } } finish { diffuse 0.75 specular 0.08 roughness 0.05 } }
    #declare Letters = texture { pigment { rgb Gold } finish { diffuse 0.7 specular 0.3 roughness 0.02 } }
    union {
        cylinder { <0, 0, 0>, <0, High, 0>, Thick / 2 scale <1, 1, 0.35> translate <Thick / 2, 0, 0.6> }
        box { <0, 0, 0.6>, <Thick, High, Deep> }
        translate x * X
        Around(Cloth)
    }
    union {
        box { <0.12, High * 0.86, 0>, <Thick - 0.12, High * 0.87, 0.6> }
        box { <0.12, High * 0.84, 0>, <Thick - 0.12, High * 0.845, 0.6> }
        box { <0.12, High * 0.10, 0>, <Thick - 0.12, High * 0.11, 0.6> }
        scale <1, 1, 1> translate <0, 0, 0.6 - Thick * 0.175 - 0.03>
        translate x * X
        Around(Letters)
    }
    text {
        internal 1 Title 0.2, 0
        scale <Thick * 0.52, Thick * 0.52, 1> rotate z * -90
        translate <X + Thick * 0.34, High * 0.80, 0.6 - Thick * 0.175 - 0.03>
        Around(Letters)
    }
#end
#declare Shelf = seed(5);
union {
    Standing(-31.0, 3.2, 23.0, 16, <0.10, 0.14, 0.20>, <0.50, 0.38, 0.14>, "THE LONG TIDE")
    Standing(-27.7, 2.4, 20.5, 14, <0.55, 0.50, 0.41>, <0.14, 0.10, 0.07>, "Orchards")
    Standing(-25.2, 4.0, 24.0, 16, <0.30, 0.06, 0.04>, <0.55, 0.42, 0.16>, "A HISTORY OF SALT")
    Standing(-21.1, 2.2, 21.5, 15, <0.60, 0.57, 0.50>, <0.30, 0.05, 0.04>, "Winter letters")
    Standing(-18.8, 3.4, 22.0, 15, <0.07, 0.15, 0.11>, <0.50, 0.40, 0.18>, "RIVERS")
    Standing(-15.3, 2.9, 19.5, 14, <0.62, 0.58, 0.49>, <0.05, 0.08, 0.14>, "On quiet things")
    Standing(-12.3, 3.6, 23.5, 16, <0.48, 0.34, 0.17>, <0.10, 0.06, 0.04>, "THE CARPENTER")
    Standing(-8.6, 2.1, 20.0, 14, <0.62, 0.60, 0.56>, <0.35, 0.10, 0.05>, "Small maps")
    Standing(-6.4, 4.4, 22.5, 16, <0.05, 0.09, 0.19>, <0.60, 0.56, 0.44>, "STARS AND SAILORS")
    Standing(-1.9, 2.7, 21.0, 15, <0.58, 0.53, 0.43>, <0.08, 0.12, 0.07>, "Garden book")
    Standing(0.9, 3.0, 24.0, 16, <0.60, 0.58, 0.52>, <0.12, 0.10, 0.30>, "CLOUDS")
    Standing(4.0, 3.3, 20.0, 14, <0.36, 0.16, 0.05>, <0.60, 0.50, 0.26>, "Bread and wine")
    translate <1, 0, 15>
    rotate y * -5
}
// A pile beside them.
#macro Lying(Y, Thick, Wide, Deep, C, Turn)
    #declare Cloth = texture { pigment { rgb C } normal { bumps 0.15 scale 0.1 } finish { diffuse 0.75 specular 0.1 roughness 0.04 } }
    union {
        box { <-Wide / 2, Y, -Deep / 2>, <Wide / 2, Y + 0.25, Deep / 2> Around(Cloth) }
        box { <-Wide / 2, Y + Thick - 0.25, -Deep / 2>, <Wide / 2, Y + Thick, Deep / 2> Around(Cloth) }
        box { <-Wide / 2, Y, -Deep / 2>, <-Wide / 2 + 0.4, Y + Thick, Deep / 2> Around(Cloth) }
        box { <-Wide / 2 + 0.3, Y + 0.2, -Deep / 2 + 0.4>, <Wide / 2 - 0.4, Y + Thick - 0.2, Deep / 2 - 0.4> Around(Edges) }
        rotate y * Turn
        translate <20.5, 0, 21>
    }
#end
Lying(0, 3.2, 21, 15, <0.05, 0.11, 0.16>, -8)
Lying(3.2, 2.4, 19, 14, <0.56, 0.50, 0.40>, -14)
Lying(5.6, 3.6, 20, 14.5, <0.32, 0.07, 0.05>, -4)
Lying(9.2, 1.8, 17, 12, <0.58, 0.56, 0.50>, -20)

// Reading glasses, a pencil.
#declare Horn = texture { pigment { bozo scale 0.8 color_map { [0 rgb <0.03, 0.014, 0.008>] [1 rgb <0.16, 0.07, 0.025>] } } finish { diffuse 0.6 specular 0.6 roughness 0.006 reflection { 0.01, 0.2 fresnel on } } }
union {
    torus { 2.1, 0.22 rotate x * 90 scale <1.1, 0.9, 1> translate <-2.6, 1.8, 0> }
    torus { 2.1, 0.22 rotate x * 90 scale <1.1, 0.9, 1> translate <2.6, 1.8, 0> }
    cylinder { <-0.5, 2.3, 0>, <0.5, 2.3, 0>, 0.2 }
    cylinder { <-4.9, 2.5, 0>, <-4.4, 1.6, 11>, 0.18 }
    cylinder { <4.9, 2.5, 0>, <4.2, 1.6, 11>, 0.18 }
    rotate x * 4 rotate y * 24
    translate <14.0, 1.7, 1.5>
    Around(Horn)
}
#declare Lacquer = texture { pigment { rgb <0.50, 0.24, 0.02> } finish { diffuse 0.7 specular 0.4 roughness 0.01 } }
#declare Cut = texture { pigment { rgb <0.55, 0.38, 0.20> } finish { diffuse 0.75 } }
union {
    cylinder { <0, 0.36, 0>, <13, 0.36, 0>, 0.36 Around(Lacquer) }
    cone { <13, 0.36, 0>, 0.36, <14.3, 0.36, 0>, 0.05 Around(Cut) }
    rotate y * 52
    translate <-17.5, 0, -7.0>
}

// --- the room behind --------------------------------------------------------------------------------------------------------

#declare Wall = texture { pigment { bozo scale 40 color_map { [0 rgb <0.34, 0.33, 0.30>] [1 rgb <0.40, 0.39, 0.35>] } } finish { diffuse 0.8 } }
box { <-200, -100, 80>, <200, 200, 82> Around(Wall) }
#declare Shade = texture { pigment { rgb <0.70, 0.56, 0.36> } finish { diffuse 0.6 emission 0.25 } }
cone { <44, 34, 60>, 17, <44, 56, 60>, 10 open Around(Shade) }
