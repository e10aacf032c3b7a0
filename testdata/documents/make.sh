#!/bin/sh
# Makes the PDFs of this folder from the .fodt sources beside them. Needs
# LibreOffice Writer with the Noto Sans, Noto Serif and Noto Naskh Arabic fonts, qpdf,
# mupdf-tools, poppler-utils and ImageMagick. Dates inside the files change with
# each run, so the committed ones are made by hand when a source changes.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

pdf() { # source, options of LibreOffice's PDF export
	soffice -env:UserInstallation="file://$tmp/profile" --headless --convert-to "pdf:writer_pdf_Export:$2" --outdir . "$1" >/dev/null
}
pdf diploma.fodt '{"SelectPdfVersion":{"type":"long","value":"1"}}'
pdf invoice.fodt '{"ExportFormFields":{"type":"boolean","value":"true"}}'
pdf contract.fodt '{}'
pdf arabic.fodt '{"UseTaggedPDF":{"type":"boolean","value":"true"}}'
pdf letter.fodt '{}'

# One file ends with a cross-reference stream and keeps its objects in streams.
qpdf --object-streams=generate contract.pdf "$tmp/contract.pdf"
mv "$tmp/contract.pdf" contract.pdf

# A page that is shown turned.
qpdf --rotate=+90:1 letter.pdf rotated.pdf

# A page that a scanner made: nothing but a picture, a little askew.
pdftoppm -r 150 -gray -png -singlefile letter.pdf "$tmp/page"
convert "$tmp/page.png" -background '#f4f4f4' -rotate 0.6 +repage -blur 0x0.6 -attenuate 0.08 +noise Gaussian \
	-gravity center -crop 1240x1754+0+0 +repage -colorspace Gray -quality 60 "$tmp/scan.jpg"
printf '%%%%MediaBox 0 0 595 842\n%%%%Image Scan %s\nq 595 0 0 842 0 0 cm /Scan Do Q\n' "$tmp/scan.jpg" >"$tmp/scan.txt"
mutool create -o scanned.pdf "$tmp/scan.txt"
