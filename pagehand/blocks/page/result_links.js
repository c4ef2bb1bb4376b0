// @ts-check
// The links of a page of search results.
(dom) => { const chrome = 'nav, header, footer, aside, form, [role=navigation], [role=banner], ' +
    '[role=contentinfo], [class*=pagination i], [class*=breadcrumb i], [class*=pager i]';
  const main = document.querySelector('main, [role=main], #content, #main, #results');
  return [.../** @type {NodeListOf<any>} */ (document.querySelectorAll('a[href]'))].filter(dom.isVisible).map(a => ({
    address: a.href, text: dom.collapseSpaces(a.innerText).slice(0, 200),
    around: dom.collapseSpaces((a.closest('li, article, tr, dd, [class*=result i]') ?? a).innerText).slice(0, 1000),
    isContent: !a.closest(chrome) && (!main || main.contains(a)),
  })) }
