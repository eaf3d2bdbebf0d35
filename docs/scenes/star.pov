// star.pov - a sea star on a beach.  Easy: no sand is orange.
#include "common.inc"
Daylight(0.02)

camera {
    perspective
    location <2, 27, -24>
    right x * 4 / 3
    angle 36
    look_at <0.6, 0, -0.2>
    Lens(0.35, <0, 0.8, 0>)
}

// The sun through thin haze, and the sky.
#if (!Mask)
    light_source { <-2600, 2900, 900>, rgb <1, 0.93, 0.80> * 0.62 area_light x * 90, z * 90, 3, 3 adaptive 1 jitter circular orient }
    sky_sphere { pigment { gradient y color_map { [0 rgb <0.20, 0.22, 0.24>] [0.5 rgb <0.11, 0.16, 0.25>] [1 rgb <0.07, 0.12, 0.24>] } } }
#end

// --- the sea star -----------------------------------------------------------------------------------------------------------

#declare Arms = 5;
#declare S = seed(11);

// Where an arm is at T of its length, and how thick it is there.
#macro ArmAt(K, T)
    #local Bend = array[5] { 0.35, -0.25, 0.15, -0.45, 0.30 }
    #local Length = array[5] { 8.6, 8.2, 9.0, 8.4, 8.1 }
    #local A = radians(72 * K + 14) + Bend[K] * T * T;
    <Length[K] * T * cos(A), 0.5 - 0.35 * T + 0.12 * sin(9 * T + 2 * K), Length[K] * T * sin(A)>
#end
#macro ArmRadius(T) (2.35 - 1.75 * pow(T, 0.85)) * (1 - 0.35 * pow(T, 12)) #end

#declare Body = blob {
    threshold 0.42
    #for (K, 0, Arms - 1)
        #for (I, 0, 40)
            #local T = I / 40;
            sphere { ArmAt(K, T), ArmRadius(T) * 1.05, 0.40 scale <1, 0.86, 1> }
        #end
    #end
    sphere { <0, 0.5, 0>, 3.2, 0.6 scale <1, 0.8, 1> }
}

#declare Leather = texture {
    pigment {
        bozo scale 0.55 turbulence 0.5
        color_map {
            [0.0 Screen(150, 42, 12)] [0.35 Screen(196, 68, 18)] [0.6 Screen(214, 92, 30)] [1.0 Screen(232, 128, 58)]
        }
    }
    normal { average normal_map { [1 crackle 0.9 scale 0.22] [1 bumps 0.7 scale 0.12] [0.6 wrinkles 0.7 scale 0.5] } }
    finish { diffuse 0.72 specular 0.25 roughness 0.03 }
}
#declare Knob = texture {
    pigment { bozo scale 0.8 color_map { [0 Screen(233, 160, 96)] [1 Screen(245, 205, 150)] } }
    normal { bumps 0.4 scale 0.05 }
    finish { diffuse 0.75 specular 0.35 roughness 0.03 }
}

// Knobs in rows along the arms, denser in the middle of an arm's back, put on the skin from above.
#macro KnobAt(X, Z, R)
    #local N = <0, 0, 0>;
    #local P = trace(Body, <X, 9, Z>, -y, N);
    #if (vlength(N) > 0.5 & N.y > 0.15)
        sphere { 0, R scale <1, 0.8, 1> translate P - N * R * 0.15 }
    #end
#end
#declare Knobs = union {
    #for (K, 0, Arms - 1)
        #for (I, 2, 46)
            #local T = I / 47;
            #local P = ArmAt(K, T);
            #local Q = ArmAt(K, T + 0.01);
            #local Side = vnormalize(vcross(y, Q - P));
            #for (J, -3, 3)
                #local Off = J * 0.30 * ArmRadius(T) * 0.72 + (rand(S) - 0.5) * 0.16;
                #local R = (0.13 - 0.018 * abs(J)) * (1.1 - 0.5 * T) * (0.65 + 0.7 * rand(S));
                #local M = P + Side * Off + (Q - P) * 3 * (rand(S) - 0.5);
                #if (rand(S) < (J = 0 ? 0.95 : 0.62)) KnobAt(M.x, M.z, R) #end
            #end
        #end
    #end
    #for (I, 0, 70)
        #local A = 2 * pi * rand(S); #local R = 1.9 * sqrt(rand(S));
        KnobAt(R * cos(A), R * sin(A), 0.06 + 0.08 * rand(S))
    #end
}

union {
    object { Body Wanted(Leather) }
    object { Knobs Wanted(Knob) }
}

// --- the beach --------------------------------------------------------------------------------------------------------------

// Sand is heaped a little where the sea star lies, rippled by the wind, and printed by rain.
#declare Heap = function(x, z) { 0.35 * exp(-(x * x + z * z) / 60) }
#declare Ripple = function(x, z) { 0.30 * sin(0.52 * x + 0.23 * z + 3.0 * Noise(x * 0.10, 0, z * 0.10)) }
#declare Rough = function(x, z) { 0.9 * (Noise(x * 0.22, 3, z * 0.22) - 0.5) + 0.42 * (Noise(x * 0.9, 7, z * 0.9) - 0.5) + 0.10 * (Noise(x * 3.1, 1, z * 3.1) - 0.5) }
#declare Ground = function(x, z) { Heap(x, z) + Ripple(x, z) + Rough(x, z) + 0.15 }

#declare Sand = texture {
    pigment {
        average pigment_map {
            [1.3 granite scale 0.35 color_map { [0.1 Screen(122, 98, 68)] [0.35 Screen(184, 156, 116)] [0.7 Screen(214, 190, 150)] [1 Screen(238, 222, 190)] }]
            [1.0 bozo scale 0.045 color_map { [0.15 Screen(92, 70, 48)] [0.4 Screen(190, 163, 124)] [0.75 Screen(222, 200, 162)] [0.9 Screen(250, 240, 220)] }]
            [0.8 bozo scale 9 turbulence 0.6 color_map { [0.2 Screen(160, 134, 98)] [0.8 Screen(214, 190, 150)] }]
        }
    }
    normal { average normal_map { [1 bumps 1.4 scale 0.05] [1 granite 0.7 scale 0.5] } }
    finish { diffuse 0.8 }
}
#declare Beach = object {
    height_field { function 600, 600 { 0.5 + 0.1 * Ground((x - 0.5) * 90, (y - 0.5) * 90) } smooth translate <-0.5, -0.5, -0.5> scale <90, 10, -90> }
}
object { Beach Around(Sand) }

#macro OnSand(X, Z) (trace(Beach, <X, 20, Z>, -y)) #end

// Grit, pebbles and bits of shell.
#declare PebbleColours = array[6] { rgb <0.30, 0.26, 0.21>, rgb <0.52, 0.45, 0.36>, rgb <0.14, 0.13, 0.12>, rgb <0.62, 0.57, 0.48>, rgb <0.36, 0.22, 0.14>, rgb <0.70, 0.66, 0.60> }
#for (I, 0, 1500)
    #local X = (rand(S) - 0.5) * 46; #local Z = (rand(S) - 0.45) * 50;
    #local R = 0.05 + 0.10 * pow(rand(S), 3) + (rand(S) < 0.035 ? 0.35 * rand(S) : 0);
    #local C = PebbleColours[int(5.999 * rand(S))];
    #local Turn = rand(S) * 360;
    #local Flat = 0.45 + 0.3 * rand(S);
    #local Shade = 0.7 + 0.6 * rand(S);
    #declare Stone = texture {
        pigment { granite scale 0.6 color_map { [0 C * Shade * 0.6] [0.6 C * Shade] [1 C * Shade * 1.3] } translate I }
        normal { bumps 0.25 scale 0.08 }
        finish { diffuse 0.8 specular 0.12 roughness 0.05 }
    }
    sphere { 0, R scale <1, Flat, 0.6 + 0.35 * rand(S)> rotate <12 * rand(S), Turn, 14 * rand(S)> translate OnSand(X, Z) + y * R * 0.12 Around(Stone) }
#end

// Cockle shells: a bowl with ribs.
#declare ShellX = function(u, v) { u * (1.9 + 0.05 * cos(52 * (v - 0.5) * 2.4)) * sin((v - 0.5) * 2.5) * (1 - 0.12 * u) }
#declare ShellY = function(u, v) { (1.05 * sqrt(max(u * (1.25 - u), 0)) * cos((v - 0.5) * 2.4)) * (1 + 0.035 * cos(52 * (v - 0.5) * 2.4)) }
#declare ShellZ = function(u, v) { u * 2.0 * cos((v - 0.5) * 2.5) * (1 + 0.02 * cos(52 * (v - 0.5) * 2.4)) }
#declare Cockle = object { Surface(ShellX, ShellY, ShellZ, 30, 160) }
#declare Chalk = texture {
    pigment {
        spherical scale 2.6 turbulence 0.12
        color_map { [0 Screen(236, 222, 204)] [0.22 Screen(214, 182, 150)] [0.3 Screen(238, 226, 208)] [0.5 Screen(222, 190, 160)] [0.62 Screen(240, 230, 214)] [1 Screen(206, 170, 140)] }
    }
    normal { bumps 0.2 scale 0.1 }
    finish { diffuse 0.78 specular 0.15 roughness 0.04 }
}
object { Cockle Around(Chalk) scale 0.95 rotate <6, 130, 5> translate OnSand(11.5, 6.0) - y * 0.15 }
object { Cockle Around(Chalk) scale 0.6 rotate <-8, -40, 10> translate OnSand(-11.2, -5.2) - y * 0.05 }
object { Cockle Around(Chalk) scale 0.45 rotate <0, 210, 14> translate OnSand(8.6, -8.4) - y * 0.05 }

// A strand of dried weed.
#declare Weed = texture { pigment { bozo scale 0.4 color_map { [0 rgb <0.045, 0.035, 0.02>] [1 rgb <0.13, 0.10, 0.05>] } } normal { wrinkles 0.8 scale 0.2 } finish { diffuse 0.7 specular 0.15 roughness 0.05 } }
#macro Strand(X0, Z0, X1, Z1, Wave, Thick)
    #local Q = OnSand(X0, Z0);
    #local QR = Thick;
    union {
        #for (I, 1, 24)
            #local T = I / 24;
            #local X = X0 + (X1 - X0) * T + Wave * (sin(7 * T + X0) - sin(X0));
            #local Z = Z0 + (Z1 - Z0) * T + Wave * (cos(9 * T + Z0) - cos(Z0));
            #local P = OnSand(X, Z) + y * (0.12 + 0.22 * abs(sin(5 * T)));
            #local R = Thick * (1 - 0.7 * T);
            cone { Q, QR, P, R }
            sphere { P, R }
            #local Q = P;
            #local QR = R;
        #end
        Around(Weed)
    }
#end
Strand(-15, 7, -7.5, 11, 0.9, 0.22)
Strand(-13, 10.5, -9, 5.0, 0.5, 0.13)
Strand(-12, 9, -13.5, 3.2, 0.6, 0.15)
