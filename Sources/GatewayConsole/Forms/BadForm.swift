/// Why a form is not understood: it is none of the console's, or not of the page as it is now.
struct BadForm: Error {}
