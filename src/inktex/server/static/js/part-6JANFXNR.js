import{a,b,c,d}from"./part-ZVLDCUUI.js";export{b as InkError,d as Recognizer,a as Superseded,c as printLatex};
