import {BASE_STYLE} from '../../html/page-style.ts';

/** The whole style of the page. No other file is loaded, and no element has inline styles. */
export const PAGE_STYLE = `${BASE_STYLE}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:20px}
.now{font-size:22px;font-weight:650;font-variant-numeric:tabular-nums;margin:0}
.controls{display:flex;flex-wrap:wrap;gap:14px 36px;margin-top:12px}
.card{border:1px solid var(--line);border-radius:8px;padding:14px 16px;min-width:0}
.card h3{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:baseline}
dl.keys{border-top:1px solid var(--line);padding-top:9px}
@media (max-width:760px){.pair{grid-template-columns:1fr;gap:14px}}
`.trim();
