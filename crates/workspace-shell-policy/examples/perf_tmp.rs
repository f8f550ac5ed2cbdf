use workspace_shell_policy::*;
fn main(){ let a: Vec<String>=std::env::args().collect(); let j=LexicalJail::new("/work"); let p=match a[1].as_str(){"dev"=>ShellPolicy::developer(),"open"=>ShellPolicy::new(),_=>ShellPolicy::read_only()};
 let line=format!("{}{}", a[2], a[3].repeat((65536-a[2].len())/a[3].len()));
 let mut best=u128::MAX; for _ in 0..200 { let s=std::time::Instant::now(); std::hint::black_box(check(Some(&p),Mode::Sh,&line,&j)); best=best.min(s.elapsed().as_micros()); } println!("{best} us"); }
