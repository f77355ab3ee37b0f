/**
 * The style shared by pages that are files, for screen or paper: colours, text, sections, figures, tables, charts. A page
 * adds its own rules after it. No page loads another file, and no element has inline styles.
 */
export const DOCUMENT_STYLE = `
:root{color-scheme:light dark;
--page:#f4f5f7;--paper:#fff;--ink:#16202c;--soft:#56616f;--line:#dde1e7;--faint:#f3f5f8;--link:#0b57b0;
--good:#12724f;--good-back:#e6f4ee;--open:#1f5fa8;--open-back:#e8f0fa;--bad:#a8320d;--bad-back:#fcece6;
--live:#b3123a;--live-ink:#fff;--test-back:#eceef2;--test-ink:#3d4855}
@media (prefers-color-scheme:dark){:root{
--page:#11161c;--paper:#191f27;--ink:#e6eaef;--soft:#9eabba;--line:#313a46;--faint:#202833;--link:#86b7f3;
--good:#5fcfa0;--good-back:#14322a;--open:#8cbcf2;--open-back:#182b42;--bad:#ff9a73;--bad-back:#3a2017;
--live:#d92652;--live-ink:#fff;--test-back:#2a323d;--test-ink:#c3ccd6}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1000px;margin:24px auto;background:var(--paper);border:1px solid var(--line);border-radius:10px;overflow:hidden}
.mode{padding:9px 32px;font-weight:600;letter-spacing:.02em}
.mode.live{background:var(--live);color:var(--live-ink)}
.mode.test,.mode.none{background:var(--test-back);color:var(--test-ink)}
header,section,footer{padding:24px 32px}
header{padding-bottom:8px}
section{border-top:1px solid var(--line)}
h1{margin:0;font-size:27px;line-height:1.2;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{margin:0 0 14px;font-size:18px;line-height:1.3}
h3{margin:26px 0 4px;font-size:15.5px;display:flex;gap:8px;align-items:baseline;flex-wrap:wrap}
h3 .number{font-weight:400;color:var(--soft)}
p{margin:6px 0}
.sub{color:var(--soft);margin:4px 0 18px}
.state{display:inline-block;margin:0 0 4px;padding:7px 13px;border-radius:7px;font-weight:600}
.state.good{color:var(--good);background:var(--good-back)}
.state.open{color:var(--open);background:var(--open-back)}
.state.bad{color:var(--bad);background:var(--bad-back)}
.figures{display:grid;grid-template-columns:repeat(4,1fr);gap:12px;margin:16px 0 14px}
.figure{padding:12px 14px;border:1px solid var(--line);border-radius:8px;min-width:0}
.figure dt{color:var(--soft);font-size:13px}
.figure dd{margin:2px 0 0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.figure .rows{font-size:22px;font-weight:650;line-height:1.25}
.figure .money{font-size:13.5px;color:var(--soft)}
.figure.bad .rows{color:var(--bad)}
.wide{overflow-x:auto;background:linear-gradient(90deg,var(--paper) 30%,transparent) left/40px 100% no-repeat local,linear-gradient(270deg,var(--paper) 30%,transparent) right/40px 100% no-repeat local,linear-gradient(90deg,rgba(0,0,0,.16),transparent) left/12px 100% no-repeat scroll,linear-gradient(270deg,rgba(0,0,0,.16),transparent) right/12px 100% no-repeat scroll}
.wide:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:14px}
caption{text-align:left;color:var(--soft);padding:0 0 6px;font-size:13.5px}
th,td{text-align:left;padding:7px 10px;border-bottom:1px solid var(--line);vertical-align:top}
thead th{color:var(--soft);font-weight:600;font-size:13px;border-bottom-color:var(--soft)}
tbody th{font-weight:600;white-space:nowrap}
th:first-child,td:first-child{padding-left:0}
th:last-child,td:last-child{padding-right:0}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.chart{display:block;width:100%;height:auto}
.chart.narrow{display:none}
.chart text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;fill:var(--soft)}
.chart .grid line{stroke:var(--line)}
.chart .axis line{stroke:var(--soft)}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:6px 22px;margin:0}
.facts dt{color:var(--soft)}
.facts dd{margin:0;overflow-wrap:anywhere}
.hash{font:12.5px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
footer{border-top:1px solid var(--line);color:var(--soft);font-size:13px}
@media (max-width:640px){
main{margin:0;border:0;border-radius:0}
.mode{padding:9px 16px}
header,section,footer{padding:18px 16px}
header{padding-bottom:4px}
h1{font-size:22px}
.figures{grid-template-columns:1fr 1fr;gap:8px}
.figure .rows{font-size:19px}
.chart.broad{display:none}
.chart.narrow{display:block}
.facts{grid-template-columns:1fr;gap:0}
.facts dd{margin-bottom:9px}
th,td{padding:7px 7px}
table{font-size:13.5px}}
@media print{
@page{size:A4;margin:14mm 12mm 16mm}
:root{color-scheme:light;
--page:#fff;--paper:#fff;--ink:#111;--soft:#4a5460;--line:#cfd5dc;--faint:#f3f5f8;--link:#111;
--good:#12724f;--good-back:#e6f4ee;--open:#1f5fa8;--open-back:#e8f0fa;--bad:#a8320d;--bad-back:#fcece6;
--live:#b3123a;--live-ink:#fff;--test-back:#eceef2;--test-ink:#3d4855}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
body{font-size:10pt;background:#fff}
main{max-width:none;margin:0;border:0;border-radius:0}
.mode{padding:6pt 0 6pt 10pt;border-radius:4pt}
header,section,footer{padding:10pt 0}
h1{font-size:18pt}h2{font-size:13pt;margin-bottom:8pt}h3{font-size:10.5pt}
table{font-size:8.8pt}th,td{padding-top:4pt;padding-bottom:4pt}.hash{font-size:8.2pt}
.figure .rows{font-size:15pt}
h2,h3,caption{break-after:avoid}
tr,.figure,.chart,.keep{break-inside:avoid}
thead{display:table-header-group}
.wide{overflow:visible;background:none}}
`.trim();
