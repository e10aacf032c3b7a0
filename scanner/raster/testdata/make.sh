#!/bin/sh
# Makes the images in this folder: the same symbol in the formats that people have and Go cannot write.
# Needs zint, imagemagick, libwebp, libheif-examples, libavif-bin, libopenjp2-tools and libtiff-tools. The
# files are kept, so that tests need none of these. The images in the folder page are those of a page that tcode-gateway
# stamped, drawn at 150 dpi and written by heif-enc -q 40 and avifenc --min 30 --max 40; page.txt has the text of its symbol.
set -eu
cd "$(dirname "$0")"
text='TCODE FORMAT TEST 0123456789'
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
zint -b DATAMATRIX --square --quietzones -w 2 --vwhitesp=2 --scale 2 -o "$tmp/zint.png" -d "$text"
convert "$tmp/zint.png" -colorspace Gray -threshold 50% -bordercolor white -border 8 -strip "$tmp/base.png"
# A second page that is not the symbol.
convert -size "$(identify -format %wx%h "$tmp/base.png")" xc:white -fill black -draw 'rectangle 20,20 60,30' -strip "$tmp/other.png"
b=$tmp/base.png

convert "$b" -type Grayscale -interlace JPEG -quality 85 progressive.jpg
convert "$b" -colorspace CMYK -quality 90 cmyk.jpg
convert "$b" -fill '#204080' -opaque black -type TrueColor -sampling-factor 4:2:0 -quality 80 color.jpg
convert "$b" -type Grayscale -define webp:lossless=true lossless.webp
convert "$b" -type TrueColor -quality 80 lossy.webp
convert "$b" -transparent white -define webp:lossless=true alpha.webp
convert "$b" -transparent white -quality 80 lossyalpha.webp
convert "$b" -type Bilevel -compress Group4 group4.tif
convert "$b" -type Bilevel -compress Fax group3.tif
convert "$b" -type Bilevel -define quantum:polarity=min-is-white -compress Group4 minwhite.tif
convert "$b" -type Bilevel -compress RLE packbits.tif
# ImageMagick declares the polarity and leaves the values as they are here.
convert "$b" -negate -type Grayscale -define quantum:polarity=min-is-white -compress None minwhite8.tif
convert "$b" -type Grayscale -depth 8 -compress LZW lzw.tif
convert "$b" -type TrueColor -depth 8 -compress Zip zip.tif
convert "$b" -type Grayscale -depth 16 -compress LZW gray16.tif
convert "$b" -type TrueColor -depth 16 -define tiff:endian=msb -compress Zip rgb16.tif
convert "$b" -type Palette -compress LZW palette.tif
convert "$b" -colorspace CMYK -depth 8 -compress LZW cmyk.tif
convert "$b" -transparent white -depth 8 -compress LZW alpha.tif
convert "$b" -type Grayscale -depth 8 -compress JPEG -quality 90 jpeg.tif
convert "$b" -type TrueColor -depth 8 -compress JPEG -quality 90 jpegcolor.tif
convert "$tmp/other.png" "$b" "$tmp/other.png" -type Bilevel -compress Group4 pages.tif
convert "$b" -type Bilevel 1bit.bmp
convert "$b" -type Palette -compress RLE rle.bmp
convert "$b" -type TrueColor BMP3:rgb24.bmp
convert "$b" -transparent white alpha.bmp
convert "$b" -type Bilevel -interlace GIF interlaced.gif
convert "$b" -transparent white transparent.gif
convert "$b" -type Bilevel -define png:bit-depth=1 -define png:color-type=0 1bit.png
convert "$b" -interlace PNG -define png:color-type=4 -define png:bit-depth=16 grayalpha16.png
convert "$b" -define png:color-type=3 -define png:bit-depth=4 palette4.png

# Images of HEIF and JPEG 2000. The symbol of veil.* exists in the transparency alone: all colours are black.
color=$tmp/color.png
convert "$b" -fill '#204080' -opaque black -type TrueColor PNG24:"$color"
convert "$b" -negate -alpha copy -fill black -colorize 100 PNG32:"$tmp/veil.png"
convert "$b" -depth 16 -type Grayscale PNG48:"$tmp/deep.png"
convert "$b" -type Grayscale -quality 95 "$tmp/gray.jpg"
convert "$color" -extent 121x123 PNG24:"$tmp/odd.png"
convert "$color" -extent 160x140 PNG24:"$tmp/wide.png"
convert "$color" -scale 200% PNG24:"$tmp/large.png"
convert -size 120x120 xc:white PNG24:"$tmp/white.png"
mkdir -p corner
# The upper left quarter is black: tests turn and mirror it.
convert -size 64x96 xc:white -fill black -draw 'rectangle 0,0 31,47' PNG24:"$tmp/corner.png"
heif-enc -q 60 "$color" -o color.heic
heif-enc -q 60 -p chroma=444 --full_range_flag 0 "$color" -o limited444.heic
heif-enc -q 60 "$tmp/gray.jpg" -o gray.heic
heif-enc -q 60 -b 10 "$tmp/deep.png" -o deep10.heic
heif-enc -q 70 "$tmp/veil.png" -o veil.heic
heif-enc -q 60 -t 64 "$tmp/odd.png" -o oddthumb.heic
heif-enc -q 80 "$tmp/corner.png" -o corner/corner.heic
avifenc -s 6 "$color" color.avif
avifenc -s 6 -y 400 "$b" gray.avif
avifenc -s 6 -d 10 -y 420 -r limited "$color" deep10.avif
avifenc -s 6 "$tmp/veil.png" veil.avif
avifenc -s 6 -p "$tmp/veil.png" premultiplied.avif
avifenc -s 6 -g 2x2 "$tmp/large.png" grid.avif
avifenc -s 6 --crop 0,0,120,120 "$tmp/wide.png" crop.avif
avifenc -s 6 "$color" "$tmp/white.png" sequence.avif
avifenc -s 6 "$tmp/corner.png" corner/corner.avif
# White, and too large to be decoded: tests put them behind boxes that lie about the size.
mkdir -p giant
convert -size 7680x7680 xc:white PNG24:"$tmp/giant.png"
heif-enc -q 20 "$tmp/giant.png" -o giant/giant.heic
avifenc -s 10 -y 444 -d 12 "$tmp/giant.png" giant/giant.avif
opj_compress -i "$color" -I -r 10 -o color.jp2
opj_compress -i "$b" -o gray.j2k
opj_compress -i "$tmp/deep.png" -r 20 -o deep16.jp2
opj_compress -i "$tmp/veil.png" -r 20 -o veil.jp2
opj_compress -i "$color" -t 50,50 -r 10 -o tiles.jp2
convert "$b" -type Bilevel one.pbm
convert "$tmp/veil.png" veil.pam
# The same symbol in every variant of TIFF that tiffcp writes.
mkdir -p tiff
ppm2tiff -c none one.pbm "$tmp/white.tif" # bilevel, WhiteIsZero
# The same look as BlackIsZero: other bits, and another meaning of them.
{ head -c 11 one.pbm; tail -c +12 one.pbm | perl -0777 -pe '$_ = ~$_'; } >"$tmp/negative.pbm"
ppm2tiff -c none "$tmp/negative.pbm" "$tmp/black.tif"
tiffset -s 262 1 "$tmp/black.tif"
for base in white black; do
	for how in none packbits lzw zip g3:1d g3:1d:fill g3:2d g3:2d:fill g4; do
		name=tiff/$base-$(echo $how | tr -d :)
		tiffcp -c $how "$tmp/$base.tif" $name.tif
		tiffcp -c $how -f lsb2msb "$tmp/$base.tif" $name-lsb.tif
	done
	tiffcp -c g4 -r 16 "$tmp/$base.tif" tiff/$base-strips.tif
	tiffcp -c g4 -t -w 32 -l 32 "$tmp/$base.tif" tiff/$base-tiles.tif
	tiffcp -c g4 -B "$tmp/$base.tif" tiff/$base-big-endian.tif
done
for base in lzw zip palette cmyk gray16 rgb16 minwhite8; do
	tiffcp -c zip -B $base.tif tiff/$base-big-endian.tif
	tiffcp -c lzw:1 -t -w 32 -l 32 $base.tif tiff/$base-tiles.tif
done
for base in zip cmyk; do
	tiffcp -c zip -p separate $base.tif tiff/$base-planes.tif
done
tiffcp -c jpeg zip.tif tiff/zip-ycbcr.tif
tiffcp -c jpeg:r zip.tif tiff/zip-jpeg.tif
tiffcp -8 zip.tif tiff/bigtiff.tif
