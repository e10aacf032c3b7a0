#!/bin/sh
# Makes the images in this folder: the same symbol in the formats that people have and Go cannot write.
# Needs zint, imagemagick and libwebp. The files are kept, so that tests need none of these.
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
