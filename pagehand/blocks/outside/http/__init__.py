"""What the API block is made of: the request, the page's cookies, the answer."""
