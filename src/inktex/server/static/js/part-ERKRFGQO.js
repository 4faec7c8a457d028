import{a,b,c,d}from"./part-SUIUQSFA.js";export{b as InkError,d as Recognizer,a as Superseded,c as printLatex};
