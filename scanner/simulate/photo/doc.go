// Package photo photographs stamped pages by calculation: it prints a page, bends the paper, lights
// it, and takes its picture with the camera of a phone. Call [Classes] and [Class.Settings]
// first, then [Take].
//
//	Sheet ─▶ print ─▶ bend ─▶ light ─▶ lens ─▶ sensor ─▶ phone's processing ─▶ image + Truth
//	page,    toner,   cylinder, lamp,   distortion, shot     demosaicing, denoising,
//	symbol   ink,     cone,     shadow, defocus,    noise,   tone curve, sharpening,
//	         paper    wave,     glare   motion      read     JPEG
//	                  fold                          noise
//
// Lengths are in mm on paper and in px of the picture. Light is linear, 1 for white that the
// sensor just holds, until the tone curve. A model states the source of its figures, or that
// they are an assumption. Everything is deterministic: the same sheet and settings give the
// same bytes.
//
// Left out: colour, rolling shutter, the different defocus of near and far parts of one
// picture, and light that one part of the paper throws on another.
package photo
