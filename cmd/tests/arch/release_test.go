package arch_test

// These doors are of programs that make a release, and are in none of its programs.
func init() {
	doors["github.com/CycloneDX/cyclonedx-go"] = []string{"cmd/release"} // bills of materials
}
