import {BASE_STYLE} from '../../html/page-style.ts';

/** The whole style of the page. No other file is loaded, and no element has inline styles. */
export const PAGE_STYLE = `${BASE_STYLE}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:20px}
.now{font-size:22px;font-weight:650;font-variant-numeric:tabular-nums;margin:0}
.controls{display:flex;flex-wrap:wrap;gap:14px 36px;margin-top:12px}
.card{border:1px solid var(--line);border-radius:8px;padding:14px 16px;min-width:0}
.card h3{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:baseline}
dl.keys{border-top:1px solid var(--line);padding-top:9px}
#live{margin:8px 0 0;font-size:13px}
.notice{position:sticky;top:8px;z-index:1;box-shadow:0 1px 6px #0003}
.notice.bad{color:var(--bad);background:var(--bad-back)}
h4{margin:0;font-size:13.5px;color:var(--soft)}
a.toggle{display:inline-block;padding:2px 0}
a.toggle::before{content:"\\25b8 ";display:inline-block;width:1.2em}
a.toggle[aria-expanded=true]::before{content:"\\25be "}
tr.open td{border-bottom:0}
tr.details>td{padding-top:0;padding-left:0;padding-right:0}
tr.details>td>div{display:grid;gap:10px;background:var(--faint);border:1px solid var(--line);border-radius:8px;padding:12px 14px;min-width:0}
dl.facts{grid-template-columns:auto 1fr;margin:0}
dl.facts dd{text-align:left}
tr.details .tag{white-space:normal;overflow-wrap:anywhere;border-radius:10px}
pre{margin:0;max-height:300px;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:8px 10px;font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
nav.pages{display:flex;flex-wrap:wrap;gap:4px 18px;margin-top:10px}
@media (max-width:1000px){
tr.details>td{display:block}
tr.details>td::before{content:none}
tr.details>td>div{justify-self:stretch}
tr.open{border-bottom:0;padding-bottom:4px}
tr.details{padding-top:0}}
@media (max-width:760px){
.pair{grid-template-columns:1fr;gap:14px}
#entities-live .card{padding:10px 12px}
#entities-live dl{margin-top:6px;gap:0 12px;font-size:14px}
#entities-live .soft{display:none}
main table tbody tr:not(.details){display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 10px}
main table td:not(tr.details>td){display:block}
main table td:not(tr.details>td)::before{content:none}
main table tbody tr td.extra{display:none}
main table td.id{flex-basis:100%}
main tr.details table td.n{text-align:left}}
`.trim();
