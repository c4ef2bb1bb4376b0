// @ts-check
// The links of a page of search results.
(() => { const chrome = 'nav, header, footer, aside, form, [role=navigation], [role=banner], ' +
    '[role=contentinfo], [class*=pagination i], [class*=breadcrumb i], [class*=pager i]';
  const tidy = (text) => (text ?? '').replace(/\s+/g, ' ').trim();
  const main = document.querySelector('main, [role=main], #content, #main, #results');
  return [.../** @type {NodeListOf<any>} */ (document.querySelectorAll('a[href]'))].filter(a => a.checkVisibility()).map(a => ({
    address: a.href, text: tidy(a.innerText).slice(0, 200),
    around: tidy((a.closest('li, article, tr, dd, [class*=result i]') ?? a).innerText).slice(0, 1000),
    isContent: !a.closest(chrome) && (!main || main.contains(a)),
  })) })()
