import {BASE_STYLE} from '../../../html/page-style.ts';

/** Two panes that scroll independently; below 900 pixels one at a time. */
export const SHELL_STYLE = `${BASE_STYLE}
[hidden]{display:none!important}
.top>div,main{max-width:none}
.bar{display:flex;flex-wrap:wrap;gap:4px 16px;align-items:baseline;justify-content:space-between}
.top>.bar{padding-top:10px;padding-bottom:10px}
h1{font-size:20px}
h3{margin:20px 0 6px}
.bar>h3{margin-bottom:0}
#state::before{content:"";display:inline-block;width:9px;height:9px;margin-right:7px;border-radius:50%;background:var(--soft)}
#state.live::before{background:var(--good)}
#state.lost{color:var(--bad)}
#state.lost::before{background:var(--bad)}
#panes{display:grid;grid-template-columns:minmax(330px,420px) minmax(0,1fr);gap:20px;height:calc(100vh - 62px);padding:16px 0}
#panes>section{margin:0;overflow:auto;padding:16px}
#filter{display:grid;grid-template-columns:1fr 1fr;gap:8px}
label{display:block;color:var(--soft);font-size:13.5px;min-width:0}
label.wide{grid-column:1/-1}
label.check{grid-column:1/-1;display:flex;gap:8px;align-items:center;min-height:28px}
input:not([type=checkbox]),select{display:block;width:100%;min-height:38px;padding:6px 9px;font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--soft);border-radius:7px}
input[type=checkbox]{width:18px;height:18px;margin:0;accent-color:var(--link)}
ol,.targets{list-style:none;margin:0;padding:0}
.row{display:block;padding:8px 10px;border-top:1px solid var(--line);color:inherit;text-decoration:none;border-left:3px solid transparent}
.row:hover{background:var(--faint)}
.row[aria-current=true]{background:var(--open-back);border-left-color:var(--link)}
.row:focus-visible{outline-offset:-3px}
.line{display:flex;flex-wrap:wrap;gap:0 10px;justify-content:space-between;align-items:baseline;min-width:0}
.line>:first-child{min-width:0;max-width:100%;overflow-wrap:anywhere}
.line>:last-child:not(:first-child){margin-left:auto}
.row b,.row .soft>:first-child{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
.line.soft{font-size:13px}
.when{white-space:nowrap;font-variant-numeric:tabular-nums}
.empty{padding:20px 10px}
h2{margin-bottom:10px;display:flex;flex-wrap:wrap;gap:6px 8px;align-items:baseline;overflow-wrap:anywhere;min-width:0}
#back{display:none}
#replay{padding-bottom:4px;margin-bottom:14px;border-bottom:1px solid var(--line)}
#replay .buttons{margin-top:8px;align-items:center}
#outcome{min-height:1.5em;overflow-wrap:anywhere}
#outcome.good{color:var(--good)}
#outcome.bad{color:var(--bad)}
button[aria-disabled=true]{opacity:.55;cursor:default}
.hint{font-size:13px}
dl.facts,dl.headers{grid-template-columns:max-content minmax(0,1fr);gap:3px 16px}
.facts dd,.headers dd{text-align:left}
.headers{font:12.5px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
.headers dt{overflow-wrap:anywhere}
.verdict{padding:8px 12px;border-radius:8px;margin:12px 0}
.verdict p,.verdict ul{margin:0}
.verdict ul{padding-left:20px}
.verdict.good{color:var(--good);background:var(--good-back)}
.verdict.open{color:var(--open);background:var(--open-back)}
.verdict.bad{color:var(--bad);background:var(--bad-back)}
pre{margin:6px 0;padding:12px;border:1px solid var(--line);border-radius:8px;background:var(--faint);font:12.5px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.key{color:var(--link)}
.mark{color:var(--bad);background:var(--bad-back);border-radius:3px}
.switch{display:flex;gap:6px}
.switch button{min-height:30px;padding:2px 10px;font-size:13.5px}
.target{overflow-wrap:anywhere}
kbd{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;border:1px solid var(--soft);border-radius:4px;padding:0 5px}
#detail td .tag{white-space:normal}
@media (max-width:900px){
#panes{display:block;height:auto;padding:12px 0}
#detail{display:none}
.opened #list{display:none}
.opened #detail{display:block}
#back{display:inline-block;padding:10px 0;margin-bottom:6px}
#panes>section{overflow:visible}
dl.headers,dl.facts{grid-template-columns:minmax(0,1fr);gap:0}
.facts dd,.headers dd{margin-bottom:6px}
.switch button{min-height:40px}
.row{padding:11px 8px}}
`.trim();
